import * as z from 'zod';
import { type ApiOwner, type ApiProcess, type ApiProcesses, processesSchema } from '../../model/api-process.ts';
import type { Text } from '../../model/i18n/text.ts';
import type { DeviceView } from '../../model/reader.ts';
import { chooseGpus, gpuParameter } from '../query/choice.ts';
import { langParameter, list } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';
import { apiProcess } from '../wire/api-process.ts';

/** As many characters of a container id are always enough to tell it. */
const LEAST_ID = 12;

const SEVERAL: Text = { en: 'name[,name…]', zh: '名称[,名称…]' };

function filter(description: string) {
  return list({ expected: SEVERAL, description, item: { type: 'string' } });
}

export const processesRoute = defineRoute({
  path: '/api/v1/processes',
  operationId: 'getProcesses',
  summary: 'Every process on any GPU; of several filters all have to fit',
  contentType: 'application/json',
  query: z.strictObject({
    gpu: gpuParameter,
    user: filter('only of these users'),
    pod: filter('only of these pods: name, namespace/name, or UID'),
    container: filter('only of these containers: name, id, or at least 12 characters of it'),
    job: filter('only of these jobs, by id'),
    lang: langParameter,
  }),
  response: processesSchema,
  errors: ['UNKNOWN_GPU'],
  async handle({ query, reader, viewer }) {
    const chosen = new Set(await chooseGpus(query.gpu, reader, viewer));
    const { at, devices } = reader.snapshot(viewer);
    const answer: ApiProcesses = { at, processes: [], unlisted: {} };
    for (const view of devices) {
      if (!chosen.has(view.device.uuid)) continue;
      const reason = 'absent' in view.processes ? view.processes.absent : view.processesPartial;
      if (reason !== undefined) answer.unlisted[view.device.uuid] = reason;
      answer.processes.push(...processesOf(view).filter((process) => fits(process, query)));
    }
    return JSON.stringify(answer);
  },
});

function processesOf({ device, processes }: DeviceView): ApiProcesses['processes'] {
  if ('absent' in processes) return [];
  const place = { gpu: device.uuid, gpuIndex: device.index, gpuName: device.name };
  return processes.map((process) => ({ ...apiProcess(process), ...place }));
}

type Filters = Readonly<Partial<Record<'user' | 'pod' | 'container' | 'job', readonly string[] | undefined>>>;

function fits({ user, owner }: ApiProcess, filters: Filters): boolean {
  return (
    isAmong(filters.user, (wanted) => user === wanted) &&
    isAmong(filters.pod, (wanted) => isPod(owner?.pod ?? null, wanted)) &&
    isAmong(filters.container, (wanted) => isContainer(owner?.container ?? null, wanted)) &&
    isAmong(filters.job, (wanted) => owner?.job?.id === wanted)
  );
}

function isAmong(wanted: readonly string[] | undefined, is: (wanted: string) => boolean): boolean {
  return wanted === undefined || wanted.some(is);
}

function isPod(pod: ApiOwner['pod'], wanted: string): boolean {
  if (pod === null) return false;
  return (
    pod.uid === wanted || (pod.name !== null && (pod.name === wanted || `${pod.namespace}/${pod.name}` === wanted))
  );
}

function isContainer(container: ApiOwner['container'], wanted: string): boolean {
  if (container === null) return false;
  return (
    container.name === wanted ||
    (wanted.length >= LEAST_ID && container.id.startsWith(wanted)) ||
    container.id === wanted
  );
}
