import { readdirSync } from 'node:fs';
import { absent, isPresent, type Reading } from '../../model/reading.ts';
import { type Folder, firstPresent } from '../drm/folder.ts';
import type { DeviceUse } from '../drm/gpu-reader.ts';
import type { Row } from '../drm/row.ts';

const BYTES = { max: 2 ** 50 } as const;
const NOT_SUPPORTED = absent('not-supported');

/** Reads how much memory a card has, and where the driver tells it, how much of it is free. */
export function readMemory(card: Folder, row: Row): void {
  const total = firstPresent(...totals(card));
  row.put('memory_total_bytes', total);
  const free = firstPresent(card.number('lmem_avail_bytes', BYTES), card.number('device/lmem_avail_bytes', BYTES));
  const isSound = isPresent(total) && isPresent(free) && free <= total;
  row.put('memory_free_bytes', isSound ? free : NOT_SUPPORTED);
  row.put('memory_used_bytes', isSound ? total - free : NOT_SUPPORTED);
}

/** Where the driver does not tell what is used, what its clients keep in device memory does, if all of them can be seen. */
export function putMemoryUse(row: Row, use: DeviceUse | null, isIntegrated: boolean): void {
  const reason = absent(use === null ? 'error' : 'no-permission');
  row.put('gtt_used_bytes', use?.isComplete === true ? use.systemBytes : reason);
  if (isIntegrated || row.get('memory_used_bytes') !== null) return;
  const total = row.get('memory_total_bytes');
  if (use?.isComplete !== true) {
    row.put('memory_used_bytes', reason);
    row.put('memory_free_bytes', total === null ? NOT_SUPPORTED : reason);
    return;
  }
  // Buffers that clients share count once for each: more than there is says nothing.
  const isSound = total === null || use.deviceBytes <= total;
  row.put('memory_used_bytes', isSound ? use.deviceBytes : absent('error'));
  row.put('memory_free_bytes', total !== null && isSound ? total - use.deviceBytes : NOT_SUPPORTED);
}

/** xe counts per tile; i915 tells it only in Intel's own builds. */
function totals(card: Folder): Reading[] {
  const tiles = tilesOf(card).map((tile) =>
    firstPresent(
      card.number(`${tile}/physical_vram_size_bytes`, BYTES),
      card.number(`${tile}/memory/physical_vram_size_bytes`, BYTES),
    ),
  );
  const present = tiles.filter(isPresent);
  const sum = present.length === tiles.length ? present.reduce((all, bytes) => all + bytes, 0) : 0;
  return [
    sum > 0 ? sum : NOT_SUPPORTED,
    positive(card.number('lmem_total_bytes', BYTES)),
    positive(card.number('device/lmem_total_bytes', BYTES)),
  ];
}

function positive(reading: Reading): Reading {
  return reading === 0 ? NOT_SUPPORTED : reading;
}

function tilesOf(card: Folder): string[] {
  try {
    return readdirSync(`${card.path}/device`)
      .filter((name) => /^tile\d+$/.test(name))
      .map((name) => `device/${name}`);
  } catch {
    return [];
  }
}
