import { readFileSync } from 'node:fs';
import type { Look } from '../../app/look.ts';
import type { ApiGpus } from '../../model/api.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { DeviceView } from '../../model/reader.ts';
import { valueOrNull } from '../../model/reading.ts';
import { apiGpus } from '../../server/wire/api-gpu.ts';
import { shownUuid } from '../smi/cards.ts';
import { gpustatFigures, wholeMiB } from './gpustat-figures.ts';

/**
 * A look as JSON: what `/api/v1/gpus` answers, together with every key of gpustat, in gpustat's units. One key means
 * different things to the two, `command` of a process; here it is the program, as in gpustat, and `full_command` has the rest.
 * A UUID that was only made up, as that of a lost GPU, is null. Where processes cannot be listed there is null instead of a list, as in gpustat, and `processesAbsent` says why.
 */
export function statJson(look: Look): object {
  const { snapshot, host, source, origin, server } = look;
  const { gpus, machine: _, ...head } = apiGpus(snapshot, host, source);
  const isHere = origin === 'live' && server === null && !source.includes('ssh:');
  const drivers = snapshot.devices.map(({ device }) => device.driverVersion);
  return {
    hostname: host,
    driver_version: drivers.find((version) => version !== null) ?? null,
    query_time: snapshot.at === null ? null : localIso(new Date(snapshot.at)),
    ...head,
    origin,
    server,
    gpus: gpus.map((gpu, i) => gpuJson(gpu, snapshot.devices[i]!, isHere)),
  };
}

function gpuJson(gpu: ApiGpus['gpus'][number], view: DeviceView, isHere: boolean): object {
  const figures = gpustatFigures(view);
  const { processes } = view;
  const { index, name, uuid: _, processes: listed, ...rest } = gpu;
  return {
    index,
    name,
    uuid: shownUuid(view.device),
    'temperature.gpu': figures.temperature,
    'fan.speed': figures.fan,
    'memory.used': figures.memoryUsed,
    'memory.total': figures.memoryTotal,
    'utilization.gpu': figures.utilization,
    'utilization.enc': figures.encoder,
    'utilization.dec': figures.decoder,
    'power.draw': figures.power,
    'enforced.power.limit': figures.powerLimit,
    ...rest,
    processes:
      'absent' in processes
        ? null
        : processes.map((process, i) => ({ ...listed[i], ...gpustatProcess(process, isHere) })),
  };
}

function gpustatProcess(process: GpuProcess, isHere: boolean) {
  const { pid, name, user, memoryBytes, cpuRatio, hostMemoryBytes } = process;
  const load = cpuRatio === undefined ? null : valueOrNull(cpuRatio);
  return {
    username: user,
    command: name,
    full_command: wordsOf(process, isHere),
    gpu_memory_usage: wholeMiB(valueOrNull(memoryBytes)),
    cpu_percent: load === null ? null : Math.round(load * 1000) / 10,
    cpu_memory_usage: hostMemoryBytes === undefined ? null : valueOrNull(hostMemoryBytes),
    pid,
  };
}

/** The words of a command line. They are known apart for processes of this machine only. */
function wordsOf({ pid, command }: GpuProcess, isHere: boolean): readonly string[] | null {
  if (command === null || command === undefined) return null;
  if (isHere) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').split('\0');
      if (words.join(' ') === command) return words;
    } catch {
      // It is gone.
    }
  }
  return command.split(' ');
}

/** Local time without its zone, as Python writes it. */
function localIso(date: Date): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, -1);
}
