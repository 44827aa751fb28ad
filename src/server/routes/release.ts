import * as z from 'zod';
import { type ApiRelease, releaseSchema } from '../../model/api.ts';
import type { SourceStatus } from '../../model/reader.ts';
import { integer, langParameter } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';

/** Long enough for a reset, short enough that a release nobody takes back does not last. */
const DEFAULT_SECONDS = 300;
const MOST_SECONDS = 86_400;

export const releaseRoute = defineRoute({
  path: '/api/v1/release',
  method: 'post',
  operationId: 'release',
  summary: 'Let go of every GPU, so that it can be reset or reconfigured, and take them up again after a while',
  contentType: 'application/json',
  query: z.strictObject({
    lang: langParameter,
    seconds: integer('after how many seconds the GPUs are taken up again', 1, MOST_SECONDS, DEFAULT_SECONDS),
  }),
  response: releaseSchema,
  errors: ['NOTHING_TO_RELEASE'],
  async handle({ reader, controls, viewer, query }) {
    await controls.release(viewer, query.seconds * 1000);
    return JSON.stringify(apiRelease(reader.source(viewer)));
  },
});

export const resumeRoute = defineRoute({
  path: '/api/v1/resume',
  method: 'post',
  operationId: 'resume',
  summary: 'Take up the GPUs again that were released',
  contentType: 'application/json',
  query: z.strictObject({ lang: langParameter }),
  response: releaseSchema,
  errors: [],
  async handle({ reader, controls, viewer }) {
    await controls.resume(viewer);
    return JSON.stringify(apiRelease(reader.source(viewer)));
  },
});

function apiRelease({ state, releasedUntil }: SourceStatus): ApiRelease {
  return { state, releasedUntil };
}
