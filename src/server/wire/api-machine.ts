import type { ApiHost, ApiMachine } from '../../model/api.ts';
import { MACHINE_METRICS } from '../../model/catalogue.ts';
import type { HostView } from '../../model/reader.ts';
import { apiReadings } from './api-readings.ts';

/** The newest readings of the host; null where there are none. */
export function apiMachine(machine: HostView | undefined): ApiMachine | null {
  return machine === undefined ? null : { at: machine.at, ...apiReadings(machine.readings, null, MACHINE_METRICS) };
}

/** What is new about the host for someone who knows `before`; undefined where it has not been read again. */
export function machineChange(now: HostView | undefined, before: HostView | undefined): ApiMachine | undefined {
  if (now === undefined || now === before) return undefined;
  return { at: now.at, ...apiReadings(now.readings, before?.readings ?? null, MACHINE_METRICS) };
}

/** The host with its CPUs, which are too many to be sent with every tick. */
export function apiHost(host: string, machine: HostView | undefined): ApiHost {
  const known = apiMachine(machine);
  if (known === null || machine === undefined) return { host, machine: null };
  // Four digits are as exact as the counters of the kernel are.
  const cpuRatios = Array.from(machine.cpuRatios, (ratio) => Math.round(ratio * 1e4) / 1e4);
  return { host, machine: { ...known, cpuRatios } };
}
