import { type Card, shownUuid } from './cards.ts';

/** `-L`: a line for each GPU, and one below it for each of its MIG instances. */
export function listLines(cards: readonly Card[]): readonly string[] {
  return cards.flatMap(({ view: { device }, instances }) => [
    `GPU ${device.index}: ${device.name} (UUID: ${shownUuid(device) ?? 'N/A'})`,
    ...instances.map((instance, index) => {
      const profile = (instance.device.mig?.profile ?? 'N/A').padEnd(12);
      return `  MIG ${profile}Device ${String(index).padStart(2)}: (UUID: ${shownUuid(instance.device) ?? 'N/A'})`;
    }),
  ]);
}
