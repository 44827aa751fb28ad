import type { Granted } from '../../app/wait.ts';
import { NO_DEVICES, visibleDevices } from '../../waiting/visible-devices.ts';

export const CHOICE_FORMATS = ['uuid', 'index', 'env', 'json'] as const;
export type ChoiceFormat = (typeof CHOICE_FORMATS)[number];

/** The chosen GPUs for a script. `env` can be given to `eval` of a shell. */
export function choiceText({ devices, all }: Granted, format: ChoiceFormat): string {
  const env = visibleDevices(devices, all);
  switch (format) {
    case 'uuid':
      return devices.map(({ uuid }) => uuid).join(',');
    case 'index':
      return devices.map(({ index }) => index).join(',');
    case 'env':
      return exportText(env);
    case 'json': {
      const gpus = devices.map(({ uuid, index, name, vendor, pciBusId, mig = null }) => ({
        uuid,
        index,
        name,
        vendor,
        pciBusId,
        mig,
      }));
      return JSON.stringify({ gpus, env }, null, 2);
    }
  }
}

/**
 * What `eval` of a shell makes a failure of: its exit code, and no GPU for what comes after it. Without that a script that does
 * not look at the code would go on, on all GPUs.
 */
export function failureText(code: number): string {
  return `${exportText(NO_DEVICES)}\n(exit ${code})`;
}

function exportText(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n');
}
