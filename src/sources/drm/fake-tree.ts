import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../../testdata/drm');

/** A machine for tests: a tree of `testdata/drm` in a folder of its own, whose files a test may change. */
export class FakeTree {
  readonly root = mkdtempSync(join(tmpdir(), 'gpulse-drm-'));

  /** Unpacks trees into one folder; without any it is empty. */
  constructor(...names: readonly string[]) {
    for (const name of names) this.#unpack(readFileSync(join(FOLDER, `${name}.tree`), 'utf8'));
  }

  /** Writes a file, with the folders it needs. */
  write(path: string, content: string | Buffer): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? `${content}\n` : content);
  }

  link(path: string, target: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
  }

  /** Removes a file or a folder. */
  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true, force: true });
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #unpack(text: string): void {
    let folder = '';
    for (const line of text.split('\n')) {
      const [, section] = /^\[(.+)\]$/.exec(line) ?? [];
      const [, name, kind, value = ''] = /^(\S+) (:=|=|->) ?(.*)$/.exec(line) ?? [];
      if (section !== undefined) folder = section;
      else if (name === undefined || line.startsWith('#')) continue;
      else if (kind === '->') this.link(join(folder, name), value);
      else this.write(join(folder, name), kind === '=' ? spelledOut(value) : pack(value));
    }
  }
}

function spelledOut(text: string): string {
  return text.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
}

/** `120 0:u16=120 2:u8=1`: the size, and numbers at offsets. */
export function pack(text: string): Buffer {
  const [size, ...numbers] = text.split(' ');
  const bytes = Buffer.alloc(Number(size));
  for (const number of numbers) {
    const [, offset, bits, value] = /^(\d+):u(\d+)=(\d+)$/.exec(number) ?? [];
    bytes.writeUIntLE(Number(value), Number(offset), Number(bits) / 8);
  }
  return bytes;
}
