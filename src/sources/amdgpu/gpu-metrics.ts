import { type Absent, absent, type Reading } from '../../model/reading.ts';
import type { Folder } from '../drm/folder.ts';
import { type Layout, layoutOf } from './metrics-layout.ts';

const NOT_SUPPORTED = absent('not-supported');
const ERROR = absent('error');
const HEADER_BYTES = 4;

/** One reading of the binary table `gpu_metrics`. Fields that a version lacks, or that are all ones, are not supported. */
export class GpuMetrics {
  readonly #bytes: Buffer;
  readonly #layout: Layout | null;
  /** `1.3`; the table of an APU begins with 2 or 3. */
  readonly version: string;

  private constructor(bytes: Buffer, version: string, layout: Layout | null) {
    this.#bytes = bytes;
    this.version = version;
    this.#layout = layout;
  }

  /** Reads the header. A table that is cut off is an error; one whose version or size is not known has no fields. */
  static parse(bytes: Buffer): GpuMetrics | Absent {
    if (bytes.length < HEADER_BYTES) return ERROR;
    const size = bytes.readUInt16LE(0);
    if (bytes.length < size || size < HEADER_BYTES) return ERROR;
    const version = `${bytes[2]}.${bytes[3]}`;
    const layout = layoutOf(version);
    return new GpuMetrics(bytes, version, layout?.size === size ? layout : null);
  }

  get isOfApu(): boolean {
    return this.version.startsWith('2.') || this.version.startsWith('3.');
  }

  has(name: string): boolean {
    return this.#layout?.fields.has(name) ?? false;
  }

  /** A whole number; of an array the entry at `index`. */
  number(name: string, index = 0): Reading {
    const field = this.#layout?.fields.get(name);
    if (field === undefined || index >= field.count) return NOT_SUPPORTED;
    const at = (bytes: number): number => field.offset + index * bytes;
    switch (field.type) {
      case 'u8':
        return orAllOnes(this.#bytes[at(1)]!, 0xff);
      case 'u16':
        return orAllOnes(this.#bytes.readUInt16LE(at(2)), 0xffff);
      case 'u32':
        return orAllOnes(this.#bytes.readUInt32LE(at(4)), 0xffff_ffff);
      default: {
        const value = this.#bytes.readBigUInt64LE(at(8));
        return value === 0xffff_ffff_ffff_ffffn ? NOT_SUPPORTED : Number(value);
      }
    }
  }

  /** The numbers of an array that are supported. */
  numbers(name: string): number[] {
    const count = this.#layout?.fields.get(name)?.count ?? 0;
    return Array.from({ length: count }, (_, i) => this.number(name, i)).filter((value) => typeof value === 'number');
  }

  /** The bits that are set in a 64-bit field, lowest first; null where it is not supported. */
  bits(name: string): number[] | null {
    const field = this.#layout?.fields.get(name);
    if (field?.type !== 'u64') return null;
    const value = this.#bytes.readBigUInt64LE(field.offset);
    if (value === 0xffff_ffff_ffff_ffffn) return null;
    const set: number[] = [];
    for (let bit = 0; bit < 64; bit++) if (((value >> BigInt(bit)) & 1n) === 1n) set.push(bit);
    return set;
  }
}

function orAllOnes(value: number, allOnes: number): Reading {
  return value === allOnes ? NOT_SUPPORTED : value;
}

/** The table of a device, or the reason why it cannot be read. */
export function readMetrics(device: Folder): GpuMetrics | Absent {
  const bytes = device.bytes('gpu_metrics');
  // The bytes are overwritten by the next read.
  return 'absent' in bytes ? bytes : GpuMetrics.parse(Buffer.from(bytes));
}
