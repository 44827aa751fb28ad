import type { Evidence, Finding, FindingState, RuleId } from '../../model/finding.ts';
import { RULES } from '../../model/finding.ts';
import { claim, observe } from '../detector.ts';
import { MOST_GAIN } from '../gain.ts';
import { theilSen } from '../statistics/robust.ts';
import { amount, percent, spanOf } from '../wording.ts';
import type { OutOfMemory, ProgramLog } from './program-log.ts';

/** Waiting for data for this share of a step is a loss; this many steps show it. */
const WAITING = 0.15;
const LEAST_STEPS = 5;
const SURE_STEPS = 50;

/** From fewer steps no gain is promised: the first ones wait for more than those after them. */
const LEAST_STEPS_FOR_GAIN = 20;

/** A rise in this share of the prints, to this multiple. */
const LEAST_PRINTS = 6;
const SURE_PRINTS = 20;
const RISING = 0.8;
const RISE = 1.1;

/** Memory that the allocator holds and does not use: this share of the card, or so many times what was asked for. */
const UNUSED_OF_CARD = 0.25;
const UNUSED_OF_TRIED = 2;

/** Verdicts on what a program has printed about itself; every other rule needs readings of the GPU. */
export function judgeProgram(log: ProgramLog): readonly Finding[] {
  const found = [...starvation(log), ...leak(log), ...fragmentation(log)];
  const rules = new Set<RuleId>(found.map(({ rule }) => rule));
  const rest = RULES.filter((rule) => !rules.has(rule)).map((rule) =>
    make(rule, 'not-evaluable', [observe('evidence.no-readings', {})], 0),
  );
  return [...found, ...rest];
}

function make(rule: RuleId, state: FindingState, evidence: readonly (Evidence | null)[], lostSeconds: number): Finding {
  const severity = state === 'not-evaluable' || state === 'ruled-out' ? 'info' : 'warning';
  return claim(
    { id: rule, layer: 'performance' },
    { state, severity, gpus: [], from: 0, to: 0, lostSeconds, evidence },
  );
}

function starvation({ steps }: ProgramLog): Finding[] {
  const { count, seconds, waiting, slowest } = steps;
  if (count < LEAST_STEPS) return [];
  const share = waiting / seconds;
  const seen = observe('evidence.step-waits', { share: percent(share), count, slowest: spanOf(slowest) }, null, {
    share,
    count,
    waiting,
    seconds,
    slowest,
  });
  if (share < WAITING) return [make('data-starvation', 'ruled-out', [seen], 0)];
  // What the program measures itself is a signal of its own, but a single one.
  const state = count >= SURE_STEPS || share >= 0.5 ? 'likely' : 'possible';
  const gain = Math.min(MOST_GAIN, 1 / Math.max(0.01, 1 - share));
  return [
    make(
      'data-starvation',
      state,
      [seen, count < LEAST_STEPS_FOR_GAIN ? null : observe('evidence.gain', { gain: gain.toFixed(1) }, null, { gain })],
      waiting,
    ),
  ];
}

function leak({ memory, memorySeen }: ProgramLog): Finding[] {
  const [first, last] = [memory[0], memory.at(-1)];
  if (first === undefined || last === undefined || memory.length < LEAST_PRINTS) return [];
  const steps = memory.slice(1).map((bytes, index) => bytes - memory[index]!);
  const rising = steps.filter((step) => step > 0).length / steps.length;
  const late = last - memory[Math.floor((2 * memory.length) / 3)]!;
  const values = { first, last, count: memorySeen, rising };
  const seen = observe(
    'evidence.program-memory',
    { low: amount(first, 'bytes'), high: amount(last, 'bytes'), count: memorySeen, share: percent(rising) },
    null,
    values,
  );
  const isRising = rising >= RISING && last >= RISE * first && late >= 0.15 * (last - first);
  if (!isRising) return [make('memory-leak', 'ruled-out', [seen], 0)];
  const slope = theilSen(
    memory.slice(0, 300).map((_, index) => index),
    memory.slice(0, 300),
  );
  return [
    make(
      'memory-leak',
      memory.length >= SURE_PRINTS ? 'likely' : 'possible',
      [seen, observe('evidence.per-print', { bytes: amount(slope, 'bytes') }, null, { slope })],
      0,
    ),
  ];
}

function fragmentation({ outOfMemory }: ProgramLog): Finding[] {
  const [first] = outOfMemory;
  if (first === undefined) return [];
  const unused = first.reserved - first.allocated;
  const { tried, total, free } = first;
  const values = Object.fromEntries(
    Object.entries({ ...first, unused, count: outOfMemory.length }).filter(([, value]) => !Number.isNaN(value)),
  );
  const message = observe(
    'evidence.oom',
    { tried: sizeWord(tried), total: sizeWord(total), free: sizeWord(free), count: outOfMemory.length },
    null,
    values,
  );
  const isFragmented = unused >= UNUSED_OF_TRIED * tried || unused >= UNUSED_OF_CARD * total;
  if (isFragmented) {
    const held = observe(
      'evidence.oom-unused',
      { reserved: sizeWord(first.reserved), allocated: sizeWord(first.allocated) },
      null,
      { unused },
    );
    return [make('oom-fragmentation', 'likely', [message, held], 0)];
  }
  return [
    make('oom-fragmentation', Number.isNaN(unused) ? 'not-evaluable' : 'ruled-out', [message], 0),
    make('memory-near-limit', 'likely', [message, othersHold(first)], 0),
  ];
}

/** What is neither free nor the program's own belongs to somebody else. */
function othersHold({ total, free, reserved }: OutOfMemory): Evidence | null {
  const other = total - free - reserved;
  return other >= 0.1 * total
    ? observe('evidence.oom-others', { bytes: amount(other, 'bytes') }, null, { other })
    : null;
}

function sizeWord(bytes: number): string {
  return Number.isNaN(bytes) ? '?' : amount(bytes, 'bytes');
}
