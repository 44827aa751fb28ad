import { lostBusId } from '../csv/stray-lines.ts';
import { type Identity, normalBusId, type Slice, UNKNOWN_IDENTITY } from '../log-devices.ts';

const CARD = /^\s*GPU (\d{1,3}): (\S.*?) \((UUID|S\/N): ?([^)]*)\)\s*$/;
const INSTANCE = /^\s+MIG (\S+)\s+Device\s+(\d{1,3}): \(UUID: ?([^)]*)\)\s*$/;

/** At least one digit behind the prefix: a card with a broken InfoROM has only that. */
const UUID = /^(?:GPU|MIG)-(?=.*[\da-f])[\da-z/-]+$/i;
/** `MIG-GPU-…/gpu instance/compute instance`, as drivers before 470 made them. */
const OLD_INSTANCE = /\/(\d{1,3})\/(\d{1,3})$/;

/** The card of a line of `nvidia-smi -L`, `GPU 0: NVIDIA A10 (UUID: GPU-…)`; null for another line. */
export function listedCard(line: string): Identity | null {
  const found = CARD.exec(line);
  if (found === null) return null;
  const [, index, name = '', what, id = ''] = found;
  return {
    ...UNKNOWN_IDENTITY,
    uuid: what === 'UUID' && UUID.test(id) ? id : null,
    serial: what === 'S/N' && id !== '' ? id : null,
    index: Number(index),
    name: name.replaceAll(/\p{Cc}/gu, ' '),
  };
}

/** The card that a line among those of `-L` says cannot be reached, known by its place on the bus; null for another line. */
export function lostCard(line: string): Identity | null {
  if (!/device handle for gpu/i.test(line)) return null;
  const busId = lostBusId(line);
  if (busId === null) return null;
  const number = /\bGPU ?(\d{1,3}): /i.exec(line)?.[1];
  return { ...UNKNOWN_IDENTITY, pciBusId: normalBusId(busId), index: number === undefined ? null : Number(number) };
}

/** The MIG instance of a line, `  MIG 3g.40gb  Device  0: (UUID: MIG-…)`; null for another line. */
export function listedInstance(line: string): Slice | null {
  const found = INSTANCE.exec(line);
  if (found === null || !UUID.test(found[3]!)) return null;
  const uuid = found[3]!;
  const ids = OLD_INSTANCE.exec(uuid);
  return {
    uuid,
    gpuInstance: ids === null ? null : Number(ids[1]),
    computeInstance: ids === null ? null : Number(ids[2]),
    profile: found[1]!,
  };
}
