import { dateTime, quantityText } from '../../model/format.ts';
import { podName } from '../../model/owner-label.ts';
import { wrapped } from '../text/flow.ts';
import { type Line, span } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import type { ProcessEntry } from '../ui/process-rows.ts';
import { type Brush, bracketed, listed } from './brush.ts';
import { gpuLabel } from './gpu-words.ts';
import { absentColumns, runningFor } from './process-table.ts';

/** Everything that is known of one process, its whole command line at the end. */
export function processLines(entry: ProcessEntry | null, width: number, brush: Brush): readonly Line[] {
  const { t, lang } = brush;
  if (entry === null) return [[span(t('top.process.gone'), 'warning')]];
  const { gpu, process } = entry;
  const { container, pod, job, unit } = process.owner ?? {};
  const bytes = (value: number | null) => (value === null ? null : quantityText(value, 'bytes', lang));
  const share = (value: number | null) => (value === null ? null : quantityText(value, 'ratio', lang));
  const started = process.startedAt === null ? null : dateTime(process.startedAt);
  const running = runningFor(process, brush);
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['GPU', `${gpuLabel(gpu)} ${gpu.name}`],
    [t('top.process.user'), process.user],
    [t('owner.pod'), pod == null ? null : [podName(pod), pod.container].filter(Boolean).join(' / ')],
    [t('owner.job'), job == null ? null : [job.id, job.step, job.user].filter(Boolean).join(' / ')],
    [
      t('owner.container'),
      container == null ? null : [container.name, container.id.slice(0, 12)].filter(Boolean).join(' / '),
    ],
    [t('top.process.image'), container?.image],
    [t('owner.unit'), unit],
    [t('top.column.gpu-share'), share(process.smRatio)],
    [t('top.column.memory'), bytes(process.memoryBytes)],
    [t('top.column.encoder'), share(process.encoderRatio)],
    [t('top.column.decoder'), share(process.decoderRatio)],
    [t('top.column.cpu'), share(process.cpuRatio)],
    [t('top.column.host-memory'), bytes(process.hostMemoryBytes)],
    [t('top.process.started'), started === null || running === null ? started : bracketed(started, running, brush)],
  ];
  const known = facts.flatMap(([label, value]): Line[] =>
    value == null ? [] : [[span(`${label}  `, 'quiet'), span(harmless(value))]],
  );
  const absent = absentColumns([entry], brush);
  const command = process.command ?? process.name;
  const text = command === null ? t('top.process.unreadable') : harmless(command);
  return [
    [span(t('top.process.title', { pid: process.pid }), 'title')],
    ...known,
    ...(absent.length === 0 ? [] : [[span(t('top.columns-absent-one', { columns: listed(absent, brush) }), 'quiet')]]),
    [span(t('top.column.command'), 'quiet')],
    ...wrapped(text, width).map((part): Line => [span(part)]),
  ];
}
