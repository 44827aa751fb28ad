/** Groups of engines as gpulse tells them apart, whatever a driver calls them. */
export type EngineClass = 'graphics' | 'compute' | 'copy' | 'encode' | 'decode' | 'video';

const CLASSES: Readonly<Record<string, EngineClass>> = {
  gfx: 'graphics',
  gfx_low: 'graphics',
  gfx_high: 'graphics',
  render: 'graphics',
  rcs: 'graphics',
  compute: 'compute',
  ccs: 'compute',
  dma: 'copy',
  sdma: 'copy',
  copy: 'copy',
  bcs: 'copy',
  enc: 'encode',
  enc_1: 'encode',
  uvd_enc: 'encode',
  dec: 'decode',
  uvd: 'decode',
  vcn_dec: 'decode',
  vcn_enc: 'encode',
  video: 'video',
  vcs: 'video',
};

/** What a client has used of one engine: nanoseconds, or cycles out of those that have passed. */
export interface EngineUse {
  readonly name: string;
  readonly class: EngineClass | null;
  ns: number | null;
  cycles: number | null;
  totalCycles: number | null;
  /** Number of equal engines behind the name. */
  capacity: number;
}

/** Memory of a client in one region, in bytes; null where the driver does not tell. */
interface RegionUse {
  resident: number | null;
  total: number | null;
}

/** One open file of a graphics driver, as `/proc/PID/fdinfo/FD` describes it. */
export interface ClientInfo {
  readonly driver: string;
  /** `0000:03:00.0`; null where the device is not on PCI. */
  readonly slot: string | null;
  /** Same for every file that stands for the same client; null where the driver gives none. */
  readonly clientId: string | null;
  readonly regions: ReadonlyMap<string, RegionUse>;
  readonly engines: readonly EngineUse[];
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KiB: 2 ** 10,
  kB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  ns: 1,
};

/** A whole number with an optional unit; null for anything else. */
function parseAmount(text: string): number | null {
  const match = /^(\d+)(?:\s*([A-Za-z]+))?$/.exec(text);
  const unit = match === null ? undefined : UNITS[match[2] ?? ''];
  return match === null || unit === undefined ? null : Number(match[1]) * unit;
}

/** More memory than any machine has is a wrong number. */
const MAX_BYTES = 2 ** 50;

/** Reads the text of an fdinfo file; null where it is not that of a graphics driver. Unknown keys are passed over. */
export function parseFdinfo(text: string): ClientInfo | null {
  let driver: string | null = null;
  let slot: string | null = null;
  let clientId: string | null = null;
  const regions = new Map<string, RegionUse>();
  const engines = new Map<string, EngineUse>();
  for (const line of text.split('\n')) {
    if (!line.startsWith('drm-')) continue;
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const key = line.slice(4, colon).trim();
    const value = line.slice(colon + 1).trim();
    if (key === 'driver') driver = value;
    else if (key === 'pdev') slot = value.toLowerCase();
    else if (key === 'client-id') clientId = value;
    else readUse(key, value, regions, engines);
  }
  if (driver === null || driver === '') return null;
  return { driver, slot, clientId, regions, engines: [...engines.values()] };
}

function readUse(key: string, value: string, regions: Map<string, RegionUse>, engines: Map<string, EngineUse>): void {
  const amount = parseAmount(value);
  if (amount === null) return;
  // The longer names first: `engine-capacity-video` is no engine called `capacity-video`.
  if (key.startsWith('engine-capacity-')) engine(engines, key.slice(16)).capacity = Math.max(1, amount);
  else if (key.startsWith('engine-')) engine(engines, key.slice(7)).ns = amount;
  else if (key.startsWith('total-cycles-')) engine(engines, key.slice(13)).totalCycles = amount;
  else if (key.startsWith('cycles-')) engine(engines, key.slice(7)).cycles = amount;
  else if (amount > MAX_BYTES) return;
  else if (key.startsWith('resident-')) region(regions, key.slice(9)).resident = amount;
  // The older name of the same number.
  else if (key.startsWith('memory-')) region(regions, key.slice(7)).resident ??= amount;
  else if (key.startsWith('total-')) region(regions, key.slice(6)).total = amount;
}

function engine(engines: Map<string, EngineUse>, name: string): EngineUse {
  let use = engines.get(name);
  if (use === undefined) {
    use = { name, class: CLASSES[name] ?? null, ns: null, cycles: null, totalCycles: null, capacity: 1 };
    engines.set(name, use);
  }
  return use;
}

function region(regions: Map<string, RegionUse>, name: string): RegionUse {
  let use = regions.get(name);
  if (use === undefined) {
    use = { resident: null, total: null };
    regions.set(name, use);
  }
  return use;
}

const DEVICE_REGION = /^(vram|local|stolen-local|lmem)\d*$/;
const SYSTEM_REGION = /^(gtt|tt|system|stolen-system|stolen|cpu)\d*$/;

/**
 * Bytes that a client keeps in the memory of the device, and in that of the host. What is resident counts; where the
 * driver does not tell it, all that was allocated. Null where no region of that kind is listed.
 */
export function memoryOf({ regions }: ClientInfo): { device: number | null; system: number | null } {
  let device: number | null = null;
  let system: number | null = null;
  for (const [name, { resident, total }] of regions) {
    const bytes = resident ?? total;
    if (bytes === null) continue;
    if (DEVICE_REGION.test(name)) device = (device ?? 0) + bytes;
    else if (SYSTEM_REGION.test(name)) system = (system ?? 0) + bytes;
  }
  return { device, system };
}
