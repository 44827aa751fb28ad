import type { Device, DeviceFact } from '../../model/device.ts';
import { CODE, TEXT_SIZE } from './abi.ts';
import type { Handle, Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const ARCHITECTURE = symbol('nvmlDeviceGetArchitecture');
const BRAND = symbol('nvmlDeviceGetBrand');
const CAPABILITY = symbol('nvmlDeviceGetCudaComputeCapability');
const VBIOS = symbol('nvmlDeviceGetVbiosVersion');
const PART_NUMBER = symbol('nvmlDeviceGetBoardPartNumber');
const BOARD_ID = symbol('nvmlDeviceGetBoardId');
const INFOROM = symbol('nvmlDeviceGetInforomImageVersion');
/** The newer one asks CUDA's own library and fails where there is none; the older one tells what this library belongs to. */
const CUDA_VERSION = [symbol('nvmlSystemGetCudaDriverVersion_v2'), symbol('nvmlSystemGetCudaDriverVersion')] as const;

/** NVML's numbers; what is not here is newer than this list. */
const ARCHITECTURES: Readonly<Record<number, string>> = {
  2: 'Kepler',
  3: 'Maxwell',
  4: 'Pascal',
  5: 'Volta',
  6: 'Turing',
  7: 'Ampere',
  8: 'Ada Lovelace',
  9: 'Hopper',
  10: 'Blackwell',
  13: 'Rubin',
};

/** nvmlBrandType_t, from 1 on. */
const BRANDS = [
  'Quadro',
  'Tesla',
  'NVS',
  'GRID',
  'GeForce',
  'TITAN',
  'NVIDIA vApps',
  'NVIDIA vPC',
  'NVIDIA vCS',
  'NVIDIA RTX vWS',
  'NVIDIA Cloud Gaming',
  'Quadro RTX',
  'NVIDIA RTX',
  'NVIDIA',
  'GeForce RTX',
  'TITAN RTX',
] as const;

/** No version of CUDA or of its hardware is near this. */
const MAX_MAJOR = 99;

/** What is known of a GPU and does not change. A fact that cannot be read, or cannot be, is missing. */
export function readFacts(nvml: Nvml, handle: Handle): NonNullable<Device['facts']> {
  const facts: { readonly [fact in DeviceFact]: string | null } = {
    architecture: readNumber(nvml, ARCHITECTURE, handle, (value) => ARCHITECTURES[value]),
    brand: readNumber(nvml, BRAND, handle, (value) => BRANDS[value - 1]),
    'compute-capability': readCapability(nvml, handle),
    vbios: readText(nvml, VBIOS, handle, TEXT_SIZE.vbios),
    'part-number': readText(nvml, PART_NUMBER, handle, TEXT_SIZE.partNumber),
    'cuda-version': readCudaVersion(nvml),
    'board-id': readNumber(nvml, BOARD_ID, handle, boardId),
    inforom: readText(nvml, INFOROM, handle, TEXT_SIZE.inforom),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
}

/** A text of at most `size` bytes; null where it cannot be read or is empty. */
export function readText(nvml: Nvml, call: number, handle: Handle, size: number): string | null {
  if (nvml.call(call, handle, nvml.out, size) !== CODE.ok) return null;
  return nvml.text(0, size) || null;
}

function readNumber(
  nvml: Nvml,
  call: number,
  handle: Handle,
  word: (value: number) => string | undefined,
): string | null {
  return nvml.call(call, handle, nvml.out) === CODE.ok ? (word(nvml.out[0]!) ?? null) : null;
}

function boardId(value: number): string | undefined {
  return value === 0xffffffff ? undefined : `0x${value.toString(16)}`;
}

function readCapability(nvml: Nvml, handle: Handle): string | null {
  const [first, second] = nvml.results;
  if (nvml.call(CAPABILITY, handle, first, second) !== CODE.ok) return null;
  const [major, minor] = [nvml.out[0]!, nvml.out[2]!];
  return major >= 1 && major <= MAX_MAJOR && minor <= 9 ? `${major}.${minor}` : null;
}

/** 12080 is 12.8. */
function readCudaVersion(nvml: Nvml): string | null {
  for (const call of CUDA_VERSION) {
    if (nvml.call(call, nvml.out) !== CODE.ok) continue;
    const [major, minor] = [Math.floor(nvml.out[0]! / 1000), Math.floor((nvml.out[0]! % 1000) / 10)];
    if (major >= 1 && major <= MAX_MAJOR) return `${major}.${minor}`;
  }
  return null;
}
