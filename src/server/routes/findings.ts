import * as z from 'zod';
import { type ApiFindings, findingsSchema } from '../../model/api-finding.ts';
import { FINDING_STATES, type FindingState, type LiveFindings, NAMED_STATES } from '../../model/finding.ts';
import { chooseGpus, gpuParameter } from '../query/choice.ts';
import { badQuery, langParameter, list } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';
import { apiFinding } from '../wire/api-finding.ts';

const NOTHING: LiveFindings = { at: null, from: null, to: null, headline: null, findings: [] };

const STATES = ['all', ...FINDING_STATES] as const;
const STATE_NOTATION = `${STATES.join(' | ')}[,…]`;

export const findingsRoute = defineRoute({
  path: '/api/v1/findings',
  operationId: 'getFindings',
  summary: 'What is wrong in the data of the last hour: cause, evidence and fix',
  contentType: 'application/json',
  query: z.strictObject({
    state: list({
      expected: STATE_NOTATION,
      description: 'only these states; those that name a cause where it is missing',
      item: { type: 'string', enum: STATES },
    }),
    gpu: gpuParameter,
    lang: langParameter,
  }),
  response: findingsSchema,
  errors: ['UNKNOWN_GPU'],
  async handle({ query, reader, viewer, lang }) {
    const states = statesOf(query.state);
    const chosen = query.gpu === undefined ? null : await chooseGpus(query.gpu, reader, viewer);
    const { at, from, to, headline, findings } = reader.findings?.(viewer) ?? NOTHING;
    const wanted = findings.filter(
      ({ state, gpus }) =>
        states.includes(state) && (chosen === null || gpus.length === 0 || gpus.some((uuid) => chosen.includes(uuid))),
    );
    const answer: ApiFindings = {
      ...{ at, from, to, headline: headline?.[lang] ?? null },
      findings: wanted.map((finding) => apiFinding(finding, lang)),
    };
    return JSON.stringify(answer);
  },
});

/** Throws BAD_QUERY for a word that is no state. */
function statesOf(words: readonly string[] | undefined): readonly FindingState[] {
  if (words === undefined) return NAMED_STATES;
  if (words.includes('all')) return FINDING_STATES;
  return words.map((word) => {
    const state = FINDING_STATES.find((one) => one === word);
    if (state === undefined) throw badQuery('state', word, STATE_NOTATION);
    return state;
  });
}
