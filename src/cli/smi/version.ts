import type { Shot } from './cards.ts';

/** `--version`, in the words of the releases up to 590. The tool has the version of the driver there. */
export function versionLines(shot: Shot): readonly string[] {
  const device = shot.lead;
  const driver = device?.vendor === 'nvidia' ? device.driverVersion : null;
  return [
    `NVIDIA-SMI version  : ${driver ?? 'N/A'}`,
    `NVML version        : ${driver?.split('.').slice(0, 2).join('.') ?? 'N/A'}`,
    `DRIVER version      : ${driver ?? 'N/A'}`,
    `CUDA Version        : ${device?.facts?.['cuda-version'] ?? 'N/A'}`,
  ];
}
