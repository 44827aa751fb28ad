import * as z from 'zod';
import { ABSENCE_REASONS } from './reading.ts';

/** Shapes of processes in the HTTP API. A figure that is not known is null. */

const figure = z.number().nullable();
const word = z.string().nullable();

export const podSchema = z.object({ uid: word, namespace: word, name: word, container: word });

export const ownerSchema = z.object({
  container: z
    .object({
      id: z.string(),
      runtime: z.enum(['docker', 'containerd', 'cri-o', 'podman', 'lxc', 'unknown']),
      name: word,
      image: word,
    })
    .nullable(),
  pod: podSchema.nullable(),
  job: z.object({ scheduler: z.enum(['slurm']), id: z.string(), step: word, user: word }).nullable(),
  unit: word.describe('systemd unit'),
});

/** What is measured of a process and may change with every sample. */
const figuresSchema = z.object({
  memoryBytes: figure.describe('memory of the GPU'),
  smRatio: figure.describe('share of the multiprocessors'),
  memoryRatio: figure.describe('share of time in which it kept the memory controller busy'),
  encoderRatio: figure,
  decoderRatio: figure,
  cpuRatio: figure.describe('share of one CPU core: above 1 for a process on several'),
  hostMemoryBytes: figure.describe('resident memory on the host'),
});

export const processSchema = z.object({
  pid: z.number().int(),
  kind: z.enum(['compute', 'graphics', 'compute+graphics']),
  name: word,
  user: word,
  ...figuresSchema.shape,
  startedAt: z.number().int().nullable().describe('epoch milliseconds UTC'),
  command: word.describe('whole command line; null where it cannot be read, or the reader may not see it'),
  owner: ownerSchema.nullable().describe('whom it works for; null where that cannot be looked up'),
});

/** The figures of one process that changed. */
export const processChangeSchema = z.object({
  position: z.number().int().describe('of the process in the list known so far'),
  memoryBytes: figure.exactOptional(),
  smRatio: figure.exactOptional(),
  memoryRatio: figure.exactOptional(),
  encoderRatio: figure.exactOptional(),
  decoderRatio: figure.exactOptional(),
  cpuRatio: figure.exactOptional(),
  hostMemoryBytes: figure.exactOptional(),
});

export const processesSchema = z.object({
  at: z.number().int().nullable(),
  processes: z.array(
    processSchema.extend({ gpu: z.string().describe('uuid'), gpuIndex: z.number().int(), gpuName: z.string() }),
  ),
  unlisted: z
    .record(z.string(), z.enum(ABSENCE_REASONS))
    .describe('GPUs, by uuid, of which processes cannot be listed or are missing from the list, with the reason'),
});

export type ApiFigures = z.infer<typeof figuresSchema>;
export type ApiProcess = z.infer<typeof processSchema>;
export type ApiProcessChange = z.infer<typeof processChangeSchema>;
export type ApiProcesses = z.infer<typeof processesSchema>;
export type ApiOwner = z.infer<typeof ownerSchema>;
export type ApiPod = z.infer<typeof podSchema>;
