import * as z from 'zod';
import { type ApiHealth, healthSchema } from '../../model/api.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Snapshot, SourceStatus, Status } from '../../model/reader.ts';
import { errorBody } from '../failure.ts';
import { langParameter } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';

export const healthRoute = defineRoute({
  path: '/api/v1/health',
  operationId: 'getHealth',
  summary: 'How gpulse itself is: its source, its history and its own cost',
  contentType: 'application/json',
  query: z.strictObject({ lang: langParameter }),
  response: healthSchema,
  errors: ['BUSY'],
  async handle({ reader, viewer, lang }) {
    return JSON.stringify(health(await reader.status(viewer), reader.snapshot(viewer), lang));
  },
});

function health(status: Status, snapshot: Snapshot, lang: Lang): ApiHealth {
  const { now, host, version, source, own } = status;
  const { extent, failure, path, bytes, droppedTicks, daysThatFit, damage, queue = null } = status.history;
  return {
    status: overall(status, snapshot),
    now,
    host,
    version,
    source: apiSource(source, lang),
    history: {
      path,
      bytes,
      from: extent?.from ?? null,
      to: extent?.to ?? null,
      droppedTicks,
      daysThatFit,
      damage: damage === null ? null : errorBody(damage, lang),
      failure: failure === null ? null : errorBody(failure, lang),
      queue,
    },
    own,
  };
}

/** Without a device there is nothing to show, which outweighs that something else is not well. */
function overall({ source, history }: Status, { devices }: Snapshot): ApiHealth['status'] {
  if (source.state === 'searching') return 'no-device';
  // Remarks apart, a live source has something to say only when a GPU or the driver is not well.
  const hasTrouble = source.origin === 'live' && source.notices.some(({ isRemark }) => !isRemark);
  const isAnyAmiss = source.origin === 'live' && devices.some(({ state }) => state === 'lost' || state === 'stale');
  const isTroubled =
    source.state === 'stalled' || source.state === 'released' || hasTrouble || isAnyAmiss || isFailing(source);
  return isTroubled || history.failure !== null ? 'degraded' : 'ok';
}

/** The newest attempt to sample the GPUs of this machine has failed. */
function isFailing({ origin, reason }: SourceStatus): boolean {
  return origin === 'live' && reason !== null;
}

function apiSource(source: SourceStatus, lang: Lang): ApiHealth['source'] {
  const { name, origin, state, releasedUntil, reason, lastTickAt, intervalMs, missedTicks, notices } = source;
  return {
    name,
    origin,
    state,
    releasedUntil,
    reason: reason === null ? null : errorBody(reason, lang),
    lastTickAt,
    intervalMs,
    missedTicks,
    notices: notices.map(({ key, params, isRemark = false }) => ({
      key,
      text: noticeText({ key, params }, lang),
      isRemark,
    })),
  };
}
