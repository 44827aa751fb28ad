import type { ApiGpu } from '../model/api.ts';
import type { ApiProcess } from '../model/api-process.ts';

/** For tests: a GPU of which only what matters to a test is said. */
export function testGpu(values: Partial<ApiGpu> = {}): ApiGpu {
  return {
    uuid: `GPU-${values.index ?? 0}`,
    index: 0,
    name: 'H100',
    vendor: 'nvidia',
    state: 'ok',
    at: 0,
    pciBusId: null,
    driverVersion: null,
    minor: null,
    serial: null,
    facts: {},
    mig: null,
    readings: {},
    absent: {},
    processes: [],
    processesAbsent: null,
    processesPartial: null,
    details: { fans: null, links: null },
    allotted: null,
    ...values,
  };
}

/** For tests: a process of which only what matters to a test is said. */
export function testProcess(values: Partial<ApiProcess> = {}): ApiProcess {
  return {
    pid: 1,
    kind: 'compute',
    name: 'python',
    user: 'li',
    memoryBytes: null,
    smRatio: null,
    memoryRatio: null,
    encoderRatio: null,
    decoderRatio: null,
    cpuRatio: null,
    hostMemoryBytes: null,
    startedAt: null,
    command: null,
    owner: null,
    ...values,
  };
}
