import { type Reader, simpleVariant } from '../reader.ts';
import { symbol } from '../symbols.ts';

const GENERATION = symbol('nvmlDeviceGetCurrPcieLinkGeneration');
const WIDTH = symbol('nvmlDeviceGetCurrPcieLinkWidth');
const GENERATION_DEVICE_MAX = symbol('nvmlDeviceGetGpuMaxPcieLinkGeneration');
const GENERATION_MAX = symbol('nvmlDeviceGetMaxPcieLinkGeneration');
const WIDTH_MAX = symbol('nvmlDeviceGetMaxPcieLinkWidth');

const MAX_GENERATION = 10;
const MAX_LANES = 64;

export const PCIE_LINK_READERS: readonly Reader[] = [
  {
    metrics: ['pcie_link_generation'],
    variants: [simpleVariant(GENERATION, (nvml, out) => out.put(0, nvml.out[0]!, 1, MAX_GENERATION))],
  },
  {
    metrics: ['pcie_link_width'],
    variants: [simpleVariant(WIDTH, (nvml, out) => out.put(0, nvml.out[0]!, 1, MAX_LANES))],
  },
  {
    metrics: ['pcie_link_generation_max'],
    variants: [simpleVariant(GENERATION_MAX, (nvml, out) => out.put(0, nvml.out[0]!, 1, MAX_GENERATION))],
  },
  {
    metrics: ['pcie_link_generation_device_max'],
    variants: [simpleVariant(GENERATION_DEVICE_MAX, (nvml, out) => out.put(0, nvml.out[0]!, 1, MAX_GENERATION))],
  },
  {
    metrics: ['pcie_link_width_max'],
    variants: [simpleVariant(WIDTH_MAX, (nvml, out) => out.put(0, nvml.out[0]!, 1, MAX_LANES))],
  },
];
