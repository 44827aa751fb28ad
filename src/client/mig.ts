import type { ApiGpu } from '../model/api.ts';

/** A card with the MIG instances that are cut out of it. */
export interface Card {
  readonly gpu: ApiGpu;
  readonly instances: readonly ApiGpu[];
}

/**
 * The GPUs by card, in their order. Whatever is counted or summed up is so over cards, since an instance is a part of
 * one. An instance of which the card is not listed stands for itself.
 */
export function cardsOf(gpus: readonly ApiGpu[]): readonly Card[] {
  if (gpus.every(({ mig }) => mig === null)) return gpus.map((gpu) => ({ gpu, instances: [] }));
  const listed = new Set(gpus.map(({ uuid }) => uuid));
  const isPart = ({ mig }: ApiGpu): boolean => mig !== null && listed.has(mig.parent);
  const parts = Map.groupBy(gpus.filter(isPart), ({ mig }) => mig?.parent);
  return gpus.filter((gpu) => !isPart(gpu)).map((gpu) => ({ gpu, instances: parts.get(gpu.uuid) ?? [] }));
}
