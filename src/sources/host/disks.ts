import { existsSync, readdirSync } from 'node:fs';
import { slotOf } from '../../model/catalogue.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import type { ByteFile } from './byte-file.ts';
import { NamedCounters } from './named-counters.ts';

const READ = slotOf('host_disk_read_bytes_per_second');
const WRITTEN = slotOf('host_disk_write_bytes_per_second');
const BUSY = slotOf('host_disk_busy_ratio');

export const DISK_SLOTS = [READ, WRITTEN, BUSY] as const;

/** Whatever a disk says of itself, the kernel counts in these. */
const SECTOR_BYTES = 512;

/** Not disks, or not disks of their own: memory, images, optical and floppy drives, and layers over other disks. */
const NO_DISK =
  /^(?:loop|ram|zram|sr|fd|dm-|md|bcache|drbd|zd)\d|^mmcblk\d+(?:boot\d|rpmb|gp\d)|^nvme\d+c\d+n\d+|^mtdblock/;
/** The usual names of partitions, for where the kernel does not show which devices are whole. */
const PARTITION = /^(?:(?:sd|hd|vd|xvd)[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+|nbd\d+)p\d+)$/;

/** `/proc/diskstats`, of whole disks only. */
export class Disks {
  readonly #counters: NamedCounters;

  /** `blockFolder` is `/sys/block`. */
  constructor(blockFolder: string) {
    this.#counters = new NamedCounters(3, (name) => isWholeDisk(name, blockFolder));
  }

  /** Takes the file in; `seconds` is the time since the last one, 0 where there was none. */
  read(file: ByteFile, seconds: number, out: ReadingSet): void {
    this.#counters.begin();
    while (!file.isAtEnd) {
      this.#readLine(file);
      file.skipLine();
    }
    let [read, written, busy, compared] = [0, 0, 0, 0];
    const count = this.#counters.each((now, before) => {
      const busyMs = now[2]! - before[2]!;
      // A counter that went back is that of another disk under the same name; a line that is cut has none.
      if (!(now[0]! >= before[0]! && now[1]! >= before[1]! && busyMs >= 0)) return;
      read += now[0]! - before[0]!;
      written += now[1]! - before[1]!;
      busy = Math.max(busy, busyMs);
      compared++;
    });
    if (compared > 0 && seconds > 0) {
      out.setValue(READ, (read * SECTOR_BYTES) / seconds);
      out.setValue(WRITTEN, (written * SECTOR_BYTES) / seconds);
      out.setValue(BUSY, Math.min(busy / (seconds * 1000), 1));
    } else {
      for (const slot of DISK_SLOTS) out.setAbsent(slot, count === 0 ? 'not-found' : 'not-collected');
    }
  }

  /** `major minor name reads merged sectors ms writes merged sectors ms pending busy-ms …` */
  #readLine(file: ByteFile): void {
    if (Number.isNaN(file.nth(2))) return;
    file.skipBlanks();
    const from = file.at;
    const values = this.#counters.row(file, from, file.skipWord());
    if (values === null) return;
    values[0] = file.nth(3);
    values[1] = file.nth(4);
    values[2] = file.nth(3);
  }
}

function isWholeDisk(name: string, blockFolder: string): boolean {
  if (NO_DISK.test(name)) return false;
  if (!existsSync(blockFolder)) return !PARTITION.test(name);
  // The folder has whole devices only; a slash in a name is written as an exclamation mark.
  const folder = `${blockFolder}/${name.replaceAll('/', '!')}`;
  return existsSync(folder) && !isLayer(`${folder}/slaves`);
}

/** A device that lies on others has them as its slaves. */
function isLayer(slaves: string): boolean {
  try {
    return readdirSync(slaves).length > 0;
  } catch {
    return false;
  }
}
