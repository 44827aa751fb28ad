import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { MetricId } from '../../model/catalogue.ts';
import type { Reading } from '../../model/reading.ts';
import { ProcHostReader } from './proc-host-reader.ts';

/** A made-up `/proc` and `/sys` in a temporary folder, for tests. */
export class HostTree {
  readonly root = mkdtempSync(join(tmpdir(), 'gpulse-host-'));
  readonly #reader = new ProcHostReader(this.root, 0);
  #monotonic = 0;

  write(path: string, text: string): this {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return this;
  }

  folder(path: string): this {
    mkdirSync(join(this.root, path), { recursive: true });
    return this;
  }

  link(path: string, target: string): this {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
    return this;
  }

  delete(path: string): this {
    rmSync(join(this.root, path), { recursive: true, force: true });
    return this;
  }

  /** Reads it `seconds` after the last time: the values asked for, in order, or why they are absent. */
  read<Id extends MetricId>(ids: readonly Id[], seconds = 1): (number | string)[] {
    this.#monotonic += seconds * 1000;
    const { readings } = this.#reader.read(this.#monotonic);
    return ids.map((id) => plain(readings.get(id)));
  }

  cpus(seconds = 1): number[] {
    this.#monotonic += seconds * 1000;
    return [...this.#reader.read(this.#monotonic).cpuRatios];
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function plain(reading: Reading): number | string {
  return typeof reading === 'number' ? reading : reading.absent;
}
