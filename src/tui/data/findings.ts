import type { ApiFindings } from '../../model/api-finding.ts';
import type { FindingLine } from './feed.ts';

/** What the server names firmly enough for one line, in the order in which it lists it, what goes on before what is over. */
export function namedFindings({ findings }: ApiFindings): readonly FindingLine[] {
  const named = findings.filter(({ state }) => state === 'confirmed' || state === 'likely');
  return named
    .map(({ title, stateText, isCurrent, severity, gpus, evidence, fix }) => ({
      ...{ text: title, stateText, isCurrent, severity, gpus, fix },
      evidence: evidence.map(({ text }) => text),
    }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}
