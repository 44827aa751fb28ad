import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { TopologyLink } from '../model/ports.ts';
import type { Standing } from './idle-watch.ts';
import { freeBytes, totalBytes } from './obstacle.ts';
import { type GpuRequest, neededBytes } from './request.ts';

/**
 * Devices that a command could be given: cards, and where a card is cut into MIG instances, these in its place. CUDA uses
 * only one instance at a time, so they are no choice where several GPUs are asked for.
 */
export function candidates<T extends { readonly device: Device }>(all: readonly T[], gpus: number): readonly T[] {
  const cut = new Set(all.flatMap(({ device }) => device.mig?.parent ?? []));
  return all.filter(({ device }) => (device.mig === undefined ? !cut.has(device.uuid) : gpus === 1));
}

/** Throws TOO_FEW_GPUS for what can never be had. `devices` are all that the request is about. */
export function checkPossible(devices: readonly Standing[], request: GpuRequest): void {
  const { gpus, freeMemory } = request;
  const fail = (found: number, why: string): never => {
    throw new AppError('TOO_FEW_GPUS', { wanted: gpus, found, why });
  };
  const usable = candidates(devices, gpus);
  if (usable.length < gpus) {
    const hasInstances = gpus > 1 && devices.some(({ device }) => device.mig !== undefined);
    fail(usable.length, hasInstances ? 'MIG: CUDA uses one instance at a time' : `${devices.length} GPU`);
  }
  const large = usable.filter(({ sample }) => {
    const total = totalBytes(sample);
    return total === null || total >= neededBytes(request, total);
  });
  if (large.length < gpus) fail(large.length, 'bytes' in freeMemory ? `${gibOf(freeMemory.bytes)} GiB` : '');
  const most = Math.max(0, ...groupsOf(large).map((group) => group.length));
  if (most < gpus) fail(most, 'vendor');
}

function gibOf(bytes: number): number {
  return Math.round((bytes / 2 ** 30) * 10) / 10;
}

/** GPUs of one vendor each: no framework computes on several. */
function groupsOf(standings: readonly Standing[]): readonly (readonly Standing[])[] {
  const groups = new Map<string, Standing[]>();
  for (const standing of standings) {
    const { vendor } = standing.device;
    groups.set(vendor, [...(groups.get(vendor) ?? []), standing]);
  }
  return [...groups.values()];
}

/**
 * The GPUs to take of those that are free: of one vendor, well joined where that is known, then with most memory free.
 * Null where there are too few.
 */
export function choose(
  standings: readonly Standing[],
  gpus: number,
  links: readonly TopologyLink[] | null,
): readonly Standing[] | null {
  const groups = groupsOf(candidates(standings, gpus).filter(({ isFree }) => isFree)).filter(
    (group) => group.length >= gpus,
  );
  const [group] = groups.toSorted((a, b) => b.length - a.length);
  if (group === undefined) return null;
  const byMemory = group.toSorted(
    (a, b) => (freeBytes(b.sample) ?? 0) - (freeBytes(a.sample) ?? 0) || a.device.index - b.device.index,
  );
  const chosen = gpus === 1 || links === null ? byMemory.slice(0, gpus) : wellJoined(byMemory, gpus, links);
  return chosen.toSorted((a, b) => a.device.index - b.device.index);
}

/** From each GPU on, the nearest ones are added one by one; the set whose links are best in sum wins. */
function wellJoined(free: readonly Standing[], gpus: number, links: readonly TopologyLink[]): readonly Standing[] {
  const ranks = new Map(links.flatMap(({ from, to, level }) => pairs(from, to).map((pair) => [pair, rankOf(level)])));
  const near = (a: Standing, b: Standing): number => ranks.get(`${a.device.uuid} ${b.device.uuid}`) ?? 0;
  let [best, bestSum] = [free.slice(0, gpus), Number.NEGATIVE_INFINITY];
  for (const first of free) {
    const group = [first];
    let sum = 0;
    while (group.length < gpus) {
      const rest = free.filter((one) => !group.includes(one));
      const nearness = (one: Standing): number => group.reduce((total, member) => total + near(one, member), 0);
      const next = rest.reduce((a, b) => (nearness(b) > nearness(a) ? b : a));
      sum += nearness(next);
      group.push(next);
    }
    if (sum > bestSum) [best, bestSum] = [group, sum];
  }
  return best;
}

function pairs(from: string, to: string): readonly string[] {
  return [`${from} ${to}`, `${to} ${from}`];
}

/** From worst to best, as `nvidia-smi topo -m` names them; more NVLinks are better. */
const LEVELS = ['SYS', 'NODE', 'PHB', 'PXB', 'PIX'];
const LINKED = 100;

function rankOf(level: string): number {
  const lanes = /^(?:NV|XGMI)(\d*)$/.exec(level);
  return lanes === null ? LEVELS.indexOf(level) + 1 : LINKED + Number(lanes[1] || 1);
}
