import { absenceIn } from './absence-words.ts';
import type { CsvColumn } from './header.ts';

/** Which columns tell the device of a row: positions of cells, or -1 where there is none. */
export interface IdentityColumns {
  readonly uuid: number;
  readonly busId: number;
  readonly serial: number;
  readonly index: number;
  readonly name: number;
  readonly driver: number;
  /** The machine, in a log of several. */
  readonly host: number;
  /** Titles of columns that look like an identity but are the same for different devices, and what is used instead. */
  readonly misleading: { readonly titles: readonly string[]; readonly used: string } | null;
}

const GPU_NUMBER = /^(?:gpu|cuda|card|device)?[\s:_#-]*(\d{1,4})$/i;
const UUID = /^(?:GPU|MIG)-[\da-f-]*$/i;
const BUS_ID = /^(?:[\da-f]{4,8}:)?[\da-f]{2}:[\da-f]{2}\.[\da-f]$/i;

/** The number of a GPU in a cell such as `3`, `GPU 3` or `cuda:3`; null where there is none. */
export function gpuNumber(text: string): number | null {
  const match = GPU_NUMBER.exec(text);
  return match === null ? null : Number(match[1]);
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function isBusId(text: string): boolean {
  return BUS_ID.test(text);
}

/**
 * Chooses the columns by which devices are told apart: of UUID, bus id and number the one with the most different
 * values in the first rows, since a log may carry an index that is 0 for every GPU or the same empty UUID four times.
 * Others are used beside it unless they are the same for devices that are there at the same time.
 */
export function chooseIdentity(columns: readonly CsvColumn[], samples: readonly string[][]): IdentityColumns {
  const host = columns.find(({ meaning }) => meaning.kind === 'host')?.position ?? -1;
  const typed = columns.map((column) => {
    const found = typeByValues(column, valuesOf(column, samples));
    return host === -1 ? found : { ...found, distinct: distinctWith(host, column, samples) };
  });
  const candidates = ['uuid', 'bus-id', 'index'].flatMap((kind) => typed.filter((column) => column.kind === kind));
  const most = Math.max(0, ...candidates.map(({ distinct }) => distinct));
  const best = candidates.find(({ distinct }) => distinct === most);
  const isTelling = (column: TypedColumn): boolean =>
    column.distinct === most ||
    (column.distinct > 0 && best !== undefined && isPlaceOf(column.position, best.position, host, samples));
  const telling = candidates.filter(isTelling);
  const misleading = candidates.filter((column) => !isTelling(column) && column.distinct > 0);
  const first = (kind: TypedColumn['kind'], among: readonly TypedColumn[]): number =>
    among.find((column) => column.kind === kind)?.position ?? -1;
  return {
    uuid: first('uuid', telling),
    busId: first('bus-id', telling),
    serial: first('serial', typed),
    index: first('index', telling),
    name: first('name', typed),
    driver: first('driver', typed),
    host,
    misleading:
      misleading.length === 0
        ? null
        : { titles: misleading.map(({ title }) => title), used: telling.map(({ title }) => title).join(', ') },
  };
}

/**
 * True if devices with the same value in column `place` came one after the other, as when a card was replaced, and did
 * not take turns: then `place` tells where a device is though not which one it is.
 */
function isPlaceOf(place: number, device: number, host: number, samples: readonly string[][]): boolean {
  const stays = new Map<string, { readonly seen: Set<string>; last: string; rows: number }>();
  for (const cells of samples) {
    const [key, value] = [cells[place] ?? '', cells[device] ?? ''];
    if (absenceIn(key) !== null || absenceIn(value) !== null) continue;
    const slot = `${cells[host] ?? ''}\n${key}`;
    const stay = stays.get(slot) ?? { seen: new Set(), last: '', rows: 0 };
    stays.set(slot, stay);
    stay.rows++;
    if (value === stay.last) continue;
    if (stay.seen.has(value)) return false;
    stay.seen.add(value);
    stay.last = value;
  }
  // Devices that have one row each may as well be those of one instant.
  return [...stays.values()].every(({ seen, rows }) => seen.size === 1 || rows >= 2 * seen.size);
}

interface TypedColumn {
  readonly position: number;
  readonly title: string;
  readonly kind: string;
  readonly distinct: number;
}

/** Values of different machines are different ones. */
function distinctWith(host: number, { position }: CsvColumn, samples: readonly string[][]): number {
  const filled = samples.filter((cells) => absenceIn(cells[position] ?? '') === null);
  return new Set(filled.map((cells) => `${cells[host] ?? ''}\n${cells[position]}`)).size;
}

function valuesOf({ position }: CsvColumn, samples: readonly string[][]): string[] {
  return samples.map((cells) => cells[position] ?? '').filter((cell) => absenceIn(cell) === null);
}

/** A column called `gpu` holds a number in one log, a UUID or the name of the product in the next. */
function typeByValues({ position, title, meaning }: CsvColumn, values: readonly string[]): TypedColumn {
  const typed = (kind: string): TypedColumn => ({ position, title, kind, distinct: new Set(values).size });
  if (meaning.kind !== 'index' || values.length === 0) return typed(meaning.kind);
  const isMostly = (is: (value: string) => boolean): boolean => values.filter(is).length * 2 > values.length;
  if (isMostly(isUuid)) return typed('uuid');
  if (isMostly(isBusId)) return typed('bus-id');
  if (isMostly((value) => gpuNumber(value) !== null)) return typed(mayCount(title, values) ? 'index' : 'unknown');
  return typed(values.some((value) => /^[-+]?[\d.]/.test(value)) ? 'unknown' : 'name');
}

/** A column called just `gpu` may hold the utilisation; numbers of GPUs are small and come round equally often. */
function mayCount(title: string, values: readonly string[]): boolean {
  if (title.toLowerCase() !== 'gpu') return true;
  const counts = new Map<number, number>();
  for (const value of values.map((text) => gpuNumber(text) ?? -1)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const often = [...counts.values()];
  const isEven = Math.max(...often) - Math.min(...often) <= 2;
  const isRun = [...counts.keys()].sort((a, b) => a - b).every((number, position) => number === position);
  const comesRound = often.length * 2 <= values.length && Math.max(...counts.keys()) < 64;
  return isEven && (isRun || comesRound);
}
