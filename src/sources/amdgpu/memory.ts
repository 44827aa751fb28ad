import { absent, isPresent, type Reading } from '../../model/reading.ts';
import type { Folder } from '../drm/folder.ts';
import type { Row } from '../drm/row.ts';

const BYTES = { max: 2 ** 50 } as const;
const ERROR = absent('error');

/** Reads how memory is used. The sizes are read once, since they do not change while the driver is loaded. */
export class MemoryReader {
  readonly #vram: Pool;
  readonly #gtt: Pool;
  readonly #window: Pool;

  constructor(device: Folder) {
    this.#vram = new Pool(device, 'vram');
    this.#gtt = new Pool(device, 'gtt');
    this.#window = new Pool(device, 'vis_vram');
  }

  /**
   * What a part of a processor works in is the share of host memory set aside for it and what the driver may add to that
   * (GTT): both together are its memory, since programs allocate from both alike.
   */
  read(row: Row, isIntegrated: boolean): void {
    const vram = this.#vram.read();
    const gtt = this.#gtt.read();
    const memory = isIntegrated ? { total: add(vram.total, gtt.total), used: add(vram.used, gtt.used) } : vram;
    row.put('memory_total_bytes', memory.total);
    row.put('memory_used_bytes', memory.used);
    row.put('memory_free_bytes', subtract(memory.total, memory.used));
    row.put('gtt_total_bytes', gtt.total);
    row.put('gtt_used_bytes', gtt.used);
  }

  /** The window through which the host reaches device memory. */
  readWindow(row: Row): void {
    const { total, used } = this.#window.read();
    row.put('bar1_total_bytes', total);
    row.put('bar1_used_bytes', used);
    row.put('bar1_free_bytes', subtract(total, used));
  }

  /** True where less is set aside for it than it may use of the host. */
  isSmall(): boolean {
    const { total: vram } = this.#vram.read();
    const { total: gtt } = this.#gtt.read();
    return isPresent(vram) && isPresent(gtt) && vram < gtt;
  }
}

class Pool {
  readonly #device: Folder;
  readonly #name: string;
  #total: Reading = ERROR;

  constructor(device: Folder, name: string) {
    this.#device = device;
    this.#name = name;
  }

  /** More in use than there is: one of the two is wrong, and the total is not the one that changes. */
  read(): { readonly total: Reading; readonly used: Reading } {
    if (!isPresent(this.#total)) this.#total = this.#device.number(`mem_info_${this.#name}_total`, BYTES);
    const total = this.#total;
    const used = this.#device.number(`mem_info_${this.#name}_used`, BYTES);
    return { total, used: isPresent(total) && isPresent(used) && used > total ? ERROR : used };
  }
}

function add(a: Reading, b: Reading): Reading {
  if (!isPresent(a)) return a;
  return isPresent(b) ? a + b : b;
}

function subtract(a: Reading, b: Reading): Reading {
  if (!isPresent(a)) return a;
  return isPresent(b) ? a - b : b;
}
