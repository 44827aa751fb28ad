import { readdirSync } from 'node:fs';
import { absent, type Reading } from '../../model/reading.ts';
import type { Folder } from '../drm/folder.ts';
import { parseNumber } from '../drm/folder.ts';
import { reasonOf } from '../drm/read-file.ts';
import type { Row } from '../drm/row.ts';

const COUNT = { max: 2 ** 53 } as const;

/** Reads the memory errors that the driver has counted since it was loaded, over all parts of the chip that count them. */
export function readErrorCounts(device: Folder, row: Row): void {
  const ras = device.child('ras');
  const blocks = blocksIn(ras.path);
  const counts = typeof blocks === 'string' ? [] : blocks.map((block) => parseCounts(ras.text(block)));
  const none = absent(typeof blocks === 'string' ? blocks : 'not-supported');
  row.put(
    'ecc_corrected_volatile_total',
    total(
      counts.map(({ corrected }) => corrected),
      none,
    ),
  );
  row.put(
    'ecc_uncorrected_volatile_total',
    total(
      counts.map(({ uncorrected }) => uncorrected),
      none,
    ),
  );
}

interface Counts {
  readonly corrected: Reading;
  readonly uncorrected: Reading;
}

function blocksIn(folder: string): string[] | ReturnType<typeof reasonOf> {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('_err_count'));
  } catch (error) {
    return reasonOf(error);
  }
}

/** `ue: 0` and `ce: 0` in two lines; a part that counts nothing says so in words. */
function parseCounts(text: ReturnType<Folder['text']>): Counts {
  if (typeof text !== 'string') return { corrected: text, uncorrected: text };
  const of = (key: string): Reading => {
    const match = new RegExp(`^${key}:\\s*(\\S+)\\s*$`, 'm').exec(text);
    return match === null ? absent('not-supported') : parseNumber(match[1]!, COUNT);
  };
  return { corrected: of('ce'), uncorrected: of('ue') };
}

/** A part that cannot be read hides the total; one that counts nothing does not. */
function total(counts: readonly Reading[], none: Reading): Reading {
  let sum: Reading = none;
  for (const count of counts) {
    if (typeof count === 'number') sum = (typeof sum === 'number' ? sum : 0) + count;
    else if (count.absent !== 'not-supported') return count;
  }
  return sum;
}
