import { readdirSync } from 'node:fs';
import type { TopologyLink } from '../../model/ports.ts';
import type { Reading } from '../../model/reading.ts';
import { Folder } from '../drm/folder.ts';
import type { ComputeProcesses, GpuReader, Site } from '../drm/gpu-reader.ts';
import { textOrNull } from '../drm/read-file.ts';

/** One GPU, or one partition of one, as the compute driver (`/sys/class/kfd`) lists it. */
export interface KfdNode {
  readonly node: string;
  readonly gpuId: string;
  /** N of `/dev/dri/renderDN`; null where unknown. */
  readonly renderMinor: number | null;
  /** `0000:03:00` without a function: the compute driver counts partitions there. */
  readonly bus: string | null;
  readonly partition: number;
  /** 16 hexadecimal digits; null where the chip has none. */
  readonly uniqueId: string | null;
  /** `gfx90a`; null where unknown. */
  readonly architecture: string | null;
  /** Local memory; null where the node does not tell. */
  readonly memoryBytes: number | null;
}

const MAX_BYTES = 2 ** 50;

/** Type of a link between two GPUs that does not pass through PCIe (CRAT_IOLINK_TYPE_XGMI of the kernel). */
const XGMI = 11;

/** The compute driver: absent where only graphics was built, or where there is no `/dev/kfd`. */
export class Kfd {
  readonly #folder: string;
  readonly #processes: Folder;
  #nodes: readonly KfdNode[] | null = null;

  constructor({ sys, progress }: Site) {
    this.#folder = `${sys}/class/kfd/kfd`;
    this.#processes = new Folder(`${this.#folder}/proc`, progress);
  }

  /** The GPUs it lists, read once until {@link forget}. */
  nodes(): readonly KfdNode[] {
    this.#nodes ??= list(`${this.#folder}/topology/nodes`).flatMap((node) => this.#readNode(node));
    return this.#nodes;
  }

  /** Has the nodes read anew: partitions may have changed. */
  forget(): void {
    this.#nodes = null;
  }

  /** The node of a device by its render node, else by its place on the bus. */
  nodeOf(renderMinor: number | null, slot: string | null): KfdNode | null {
    const byMinor = this.nodes().find((node) => node.renderMinor !== null && node.renderMinor === renderMinor);
    if (byMinor !== undefined) return byMinor;
    const bus = slot?.replace(/\.[0-7]$/, '') ?? null;
    return this.nodes().find((node) => node.bus !== null && node.bus === bus && node.partition === 0) ?? null;
  }

  /**
   * Memory of each process on each GPU that it has memory on, or the reason why that cannot be read. The driver makes a
   * file for every GPU a process could use: none on it is no use of it.
   */
  readProcesses(nodes: ReadonlyMap<GpuReader, KfdNode>): ComputeProcesses {
    const found = new Map([...nodes.keys()].map((reader): [GpuReader, Map<number, Reading>] => [reader, new Map()]));
    const byFile = new Map([...nodes].map(([reader, { gpuId }]) => [`vram_${gpuId}`, found.get(reader)!]));
    this.#processes.wake();
    for (const pid of list(this.#processes.path)) {
      if (!/^\d+$/.test(pid)) continue;
      for (const file of list(`${this.#processes.path}/${pid}`)) {
        const bytes = byFile.has(file) ? this.#processes.number(`${pid}/${file}`, { max: MAX_BYTES }) : 0;
        if (bytes !== 0) byFile.get(file)?.set(Number(pid), bytes);
      }
    }
    return found;
  }

  /** Pairs of GPUs that are joined directly. */
  links(nodes: ReadonlyMap<GpuReader, KfdNode>): TopologyLink[] {
    const uuids = new Map([...nodes].map(([reader, { node }]) => [node, reader.identity.uuid]));
    return [...nodes].flatMap(([reader, { node }]) => {
      const folder = `${this.#folder}/topology/nodes/${node}/io_links`;
      return list(folder).flatMap((link): TopologyLink[] => {
        const facts = parseProperties(textOrNull(`${folder}/${link}/properties`) ?? '');
        const to = uuids.get(facts.get('node_to') ?? '');
        if (to === undefined || Number(facts.get('type')) !== XGMI) return [];
        return [{ from: reader.identity.uuid, to, level: 'XGMI', canPeerRead: null }];
      });
    });
  }

  #readNode(node: string): KfdNode[] {
    const folder = `${this.#folder}/topology/nodes/${node}`;
    const gpuId = textOrNull(`${folder}/gpu_id`);
    if (gpuId === null || gpuId === '0') return [];
    const facts = parseProperties(textOrNull(`${folder}/properties`) ?? '');
    const location = Number(facts.get('location_id') ?? Number.NaN);
    const minor = Number(facts.get('drm_render_minor') ?? 0);
    return [
      {
        node,
        gpuId,
        renderMinor: minor > 0 ? minor : null,
        bus: Number.isNaN(location) ? null : busOf(Number(facts.get('domain') ?? 0), location),
        partition: Number.isNaN(location) ? 0 : partitionOf(location),
        uniqueId: uniqueIdOf(facts.get('unique_id')),
        architecture: architectureOf(Number(facts.get('gfx_target_version') ?? 0)),
        memoryBytes: memoryIn(`${folder}/mem_banks`),
      },
    ];
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** `key value` lines. */
function parseProperties(text: string): Map<string, string> {
  return new Map(
    text.split('\n').map((line): [string, string] => {
      const [key = '', value = ''] = line.trim().split(/\s+/);
      return [key, value];
    }),
  );
}

/** Bits 15…8 are the bus, 7…3 the device, as in a PCI address. */
function busOf(domain: number, location: number): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  return `${hex(domain, 4)}:${hex((location >> 8) & 0xff, 2)}:${hex((location >> 3) & 0x1f, 2)}`;
}

/** Older drivers put the number of the partition into the function, newer ones into the topmost four bits. */
function partitionOf(location: number): number {
  return location >>> 28 || location & 0x7;
}

function uniqueIdOf(text: string | undefined): string | null {
  if (text === undefined || !/^\d+$/.test(text) || /^0*$/.test(text)) return null;
  return BigInt(text).toString(16).padStart(16, '0');
}

/** 90010 is `gfx90a`: decimal pairs, of which the last two are one hexadecimal digit each. */
function architectureOf(version: number): string | null {
  if (!(version > 0)) return null;
  const [major, minor, step] = [Math.floor(version / 10_000), Math.floor(version / 100) % 100, version % 100];
  return `gfx${major}${minor.toString(16)}${step.toString(16)}`;
}

/** Heap types of device memory, visible to the host and not. */
const DEVICE_HEAPS: ReadonlySet<string> = new Set(['1', '2']);

function memoryIn(folder: string): number | null {
  const sizes = list(folder).flatMap((bank) => {
    const facts = parseProperties(textOrNull(`${folder}/${bank}/properties`) ?? '');
    const bytes = Number(facts.get('size_in_bytes') ?? Number.NaN);
    return DEVICE_HEAPS.has(facts.get('heap_type') ?? '') && bytes > 0 && bytes <= MAX_BYTES ? [bytes] : [];
  });
  return sizes.length === 0 ? null : sizes.reduce((sum, bytes) => sum + bytes, 0);
}
