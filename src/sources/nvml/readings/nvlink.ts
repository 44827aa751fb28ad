import { absent, isPresent, type Reading } from '../../../model/reading.ts';
import type { NvLink } from '../../../model/tick.ts';
import { CODE, type Code, FIELD, MAX_NVLINKS, PCI } from '../abi.ts';
import { checked } from '../details.ts';
import {
  areAnswersAsKept,
  type FieldAnswers,
  fieldCode,
  fieldValue,
  getFieldValues,
  keepAnswers,
  perLink,
} from '../field-values.ts';
import { longBusId } from '../kernel-view.ts';
import type { Nvml } from '../nvml.ts';
import { portsOf } from '../ports.ts';
import { MAX_COUNT } from '../ranges.ts';
import type { Cells, Reader, Subject, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { readLinkErrors } from './nvlink-errors.ts';

const STATE = symbol('nvmlDeviceGetNvLinkState');
const REMOTE = symbol('nvmlDeviceGetNvLinkRemotePciInfo_v2');
const REMOTE_V1 = symbol('nvmlDeviceGetNvLinkRemotePciInfo');

/** A port that is up: active, or asleep to save power. */
const UP = 1;
const ASLEEP = 2;

const ALL_PORTS = Array.from({ length: MAX_NVLINKS }, (_, link) => link);

/** Totals over all ports, in the order of the metrics. */
const TOTALS = [FIELD.nvlinkCrcFlit, FIELD.nvlinkCrcData, FIELD.nvlinkReplay, FIELD.nvlinkRecovery] as const;

const portFields = perLink([FIELD.linkState], FIELD.linkCount, ...TOTALS);

/** Positions of the metrics. */
const LINKS = 0;
const ACTIVE = 1;
const CRC = 2;
const CRC_FLIT = 3;

/** All that a list of ports was made of, where that was nothing but fields: as long as it is the same, so is the list. */
const madeOf = new WeakMap<readonly NvLink[], readonly FieldAnswers[]>();

/** The ports one by one, for the details, and their sums. */
const readLinks: Variant = (nvml, gpu, out) => {
  const before = gpu.links;
  if (madeOf.get(before)?.every((answers) => areAnswersAsKept(nvml, gpu.handle, answers)) === true) return CODE.ok;
  // Also after a failure, by which every reading becomes absent.
  madeOf.delete(before);
  const began = nvml.calls;
  const asked = before.length === 0 ? ALL_PORTS : portsOf(before);
  const fields = portFields(asked);
  const whole = getFieldValues(nvml, gpu.handle, fields);
  const answers = keepAnswers(nvml, fields);
  const totals = readTotals(nvml, whole, asked.length + 1);
  const states = readStates(nvml, gpu, asked, whole);
  if (typeof states === 'number') return states;
  const found = [...states.keys()];
  const areSame = found.length === asked.length && found.every((link, i) => link === asked[i]);
  const links = areSame ? asked : found;
  const errors = readLinkErrors(nvml, gpu, links, totals.slice(0, 2).every(isPresent));
  const now = links.map((link, i): NvLink => {
    const known = before[i]?.link === link ? before[i] : before.find((other) => other.link === link);
    const isActive = states.get(link) ?? known?.isActive ?? false;
    const knownPeer = known?.isActive === true ? known.peerBusId : null;
    return {
      link,
      isActive,
      peerBusId: isActive ? (knownPeer ?? readPeer(nvml, gpu, link)) : (known?.peerBusId ?? null),
      crcErrors: errors.crc[i]!,
      replayErrors: errors.replay[i]!,
      recoveryErrors: errors.recovery[i]!,
    };
  });
  // The list is a new one only where it says something new.
  if (now.length !== before.length || !now.every((link, i) => isSameLink(link, before[i]!))) gpu.links = now;
  gpu.details.setLinks(gpu.links);
  out.put(LINKS, gpu.links.length, 1, MAX_NVLINKS);
  // A port of which nobody has ever heard whether it is up may be just the one that is missing.
  if (links.some((link) => states.get(link) === null && !before.some((known) => known.link === link))) {
    out.putAbsent(ACTIVE, 'error');
  } else out.put(ACTIVE, gpu.links.filter(({ isActive }) => isActive).length, 0, MAX_NVLINKS);
  putSum(out, CRC, errors.crc);
  [errors.crcFlit, errors.crcData, errors.replay, errors.recovery].forEach((column, i) => {
    const total = totals[i]!;
    if (isPresent(total)) out.put(CRC_FLIT + i, total, 0, MAX_COUNT);
    else if (column !== null) putSum(out, CRC_FLIT + i, column);
  });
  if (errors.answers !== null && nvml.calls - began === 2) madeOf.set(gpu.links, [answers, errors.answers]);
  return CODE.ok;
};

/**
 * Whether each of these ports is up; null for one that could not be asked now. Ports that do not exist are left out; the
 * code where there is none, or the GPU does not answer.
 */
function readStates(
  nvml: Nvml,
  gpu: Subject,
  ports: readonly number[],
  whole: Code,
): Map<number, boolean | null> | Code {
  const states = new Map<number, boolean | null>();
  if (whole === CODE.gpuIsLost) return whole;
  for (let i = 0; i < ports.length && whole === CODE.ok; i++) {
    const state = fieldCode(nvml, i) === CODE.ok ? fieldValue(nvml, i) : Number.NaN;
    if (!Number.isNaN(state)) states.set(ports[i]!, state > ASLEEP ? null : state === UP || state === ASLEEP);
  }
  const counted = whole === CODE.ok && fieldCode(nvml, ports.length) === CODE.ok ? fieldValue(nvml, ports.length) : 0;
  // Some drivers answer for any port, there or not; then the count tells how many there are.
  const count = states.size === MAX_NVLINKS && counted >= 1 ? counted : MAX_NVLINKS;
  const isKnown = gpu.links.length > 0;
  let failure: Code = CODE.notSupported;
  if (states.size === 0 || isKnown) {
    for (const link of ports) {
      if (states.has(link)) continue;
      const code = nvml.call(STATE, gpu.handle, link, nvml.out);
      if (code === CODE.ok) states.set(link, nvml.out[0]! > UP ? null : nvml.out[0] === UP);
      // A port stays a port when it cannot be asked.
      else if (isKnown) states.set(link, null);
      else if (code === CODE.functionNotFound) break;
      else if (code !== CODE.notSupported && code !== CODE.invalidArgument) failure = code;
    }
  }
  const found = [...states].sort(([a], [b]) => a - b);
  return found.length === 0 ? failure : new Map(found.slice(0, count));
}

function readPeer(nvml: Nvml, { handle }: Subject, link: number): string | null {
  let code = nvml.call(REMOTE, handle, link, nvml.out);
  let long = code === CODE.ok ? nvml.text(PCI.busId, PCI.busIdSize) : '';
  if (code === CODE.functionNotFound) {
    code = nvml.call(REMOTE_V1, handle, link, nvml.out);
    long = '';
  }
  if (code !== CODE.ok) return null;
  const busId = long || nvml.text(PCI.legacyBusId, PCI.legacyBusIdSize);
  return /^[0-9a-f]+(:[0-9a-f]+){1,2}(\.[0-9a-f]+)?$/i.test(busId) ? longBusId(busId) : null;
}

function isSameLink(a: NvLink, b: NvLink): boolean {
  return (
    a.link === b.link &&
    a.isActive === b.isActive &&
    a.peerBusId === b.peerBusId &&
    a.crcErrors === b.crcErrors &&
    a.replayErrors === b.replayErrors &&
    a.recoveryErrors === b.recoveryErrors
  );
}

/** The driver's own totals, where it has them: the fields from a position on. */
function readTotals(nvml: Nvml, whole: Code, from: number): readonly Reading[] {
  return TOTALS.map((_, i) =>
    whole === CODE.ok && fieldCode(nvml, from + i) === CODE.ok
      ? checked(fieldValue(nvml, from + i), 0, MAX_COUNT)
      : absent('not-supported'),
  );
}

/** One port without a number leaves the sum without one, for its reason. */
function putSum(out: Cells, position: number, column: readonly Reading[]): void {
  let sum = 0;
  for (const reading of column) {
    if (!isPresent(reading)) {
      out.putAbsent(position, reading.absent);
      return;
    }
    sum += reading;
  }
  out.put(position, sum, 0, MAX_COUNT);
}

export const NVLINK_READERS: readonly Reader[] = [
  {
    metrics: [
      'nvlink_links',
      'nvlink_active_links',
      'nvlink_crc_errors_total',
      'nvlink_crc_flit_errors_total',
      'nvlink_crc_data_errors_total',
      'nvlink_replay_errors_total',
      'nvlink_recovery_errors_total',
    ],
    variants: [readLinks],
  },
];
