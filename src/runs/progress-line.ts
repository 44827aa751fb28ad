/** What one line of a training program says about its progress. Every part is missing where the line does not say it. */
export interface ProgressLine {
  /** Which counter of the program `step` is of: several of them run side by side. */
  readonly track?: string;
  readonly step?: number;
  readonly totalSteps?: number;
  /** May be a fraction. */
  readonly epoch?: number;
  readonly totalEpochs?: number;
  readonly loss?: number;
  readonly evalLoss?: number;
  readonly learningRate?: number;
  readonly samplesPerSecond?: number;
  readonly tokensPerSecond?: number;
  /** As the program itself has measured it. */
  readonly secondsPerStep?: number;
  readonly phase?: 'eval' | 'checkpoint' | 'marker';
  readonly edge?: 'begin' | 'end';
  /** What a marker of the program says. */
  readonly text?: string;
}

type Draft = { -readonly [Key in keyof ProgressLine]: ProgressLine[Key] };

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf`;

/** Names by which trainers print a value, without regard to case. Those for validation come first. */
const VALUES: readonly { readonly key: keyof Draft; readonly pattern: RegExp }[] = [
  { key: 'evalLoss', pattern: named('(?:eval|val|valid|validation|test)[ _/-]?loss') },
  {
    key: 'loss',
    pattern: named(
      '(?<!(?:eval|val|valid|validation|test)[ _/-])(?:(?:train|training|total|lm|avg|mean|running)[ _/-]?)?loss(?:_?(?:step|total))?',
    ),
  },
  { key: 'learningRate', pattern: named('lr|learning[ _]rate') },
  {
    key: 'samplesPerSecond',
    pattern: named('(?:train_)?samples_per_second|RunningAvgSamplesPerSec|samples/s(?:ec)?|img/s'),
  },
  { key: 'tokensPerSecond', pattern: named('(?:train_)?tokens_per_second|tokens/s(?:ec)?|tok/s(?:ec)?|tgs') },
];

/** `name: 1.5`, `'name': '1.5'`, `name=[1.5`, `name 1.5`, not within a longer name. */
function named(names: string): RegExp {
  return new RegExp(
    String.raw`(?<![A-Za-z0-9_/])(?:${names})["']?\s*[:=]?\s*\[?\s*["']?(${NUMBER})(?![A-Za-z0-9_])`,
    'i',
  );
}

/** Longer lines are data, not progress. */
const LONGEST = 4096;

/** Every line that says something has one of these; most lines have none. */
const TELLING = /loss|step|epoch|iter|batch|eval|valid|sav|gpulse|eta|•|%\s*\||samples/i;

/**
 * Reads a line of what a training program prints: Hugging Face trainers and those made with them, progress bars of tqdm,
 * Lightning, Keras, nanoGPT, Megatron, DeepSpeed, plain `Epoch 3 … loss …`, and markers for gpulse. Null for any other.
 */
export function readProgressLine(line: string): ProgressLine | null {
  const text = line.length > LONGEST ? line.slice(0, LONGEST) : line;
  if (!TELLING.test(text)) return null;
  const marker = readMarker(text);
  if (marker !== null) return marker;
  const draft: Draft = {};
  readBar(text, draft);
  readCounters(text, draft);
  readTotals(text, draft);
  readPhase(text, draft);
  if (isAboutTraining(text, draft)) readValues(text, draft);
  return Object.keys(draft).length === 0 ? null : draft;
}

/** `GPULSE epoch 3`, `GPULSE step 100 loss=0.5`, `GPULSE checkpoint begin`, `GPULSE marker any text`. */
function readMarker(text: string): ProgressLine | null {
  const match = /^\s*GPULSE\s+(epoch|step|eval|checkpoint|marker)\b\s*(.*)$/.exec(text);
  if (match === null) return null;
  const [, word = '', rest = ''] = match;
  const number = Number(/^\d+(?:\.\d+)?/.exec(rest)?.[0] ?? Number.NaN);
  const draft: Draft = {};
  if (word === 'marker') return { phase: 'marker', text: rest.trim() };
  if (word === 'eval' || word === 'checkpoint') {
    draft.phase = word;
    draft.edge = /^(end|done)\b/i.test(rest) ? 'end' : 'begin';
  } else if (Number.isNaN(number)) {
    return null;
  } else if (word === 'step') {
    Object.assign(draft, { track: 'gpulse', step: number });
  } else {
    draft.epoch = number;
  }
  readValues(rest, draft);
  return draft;
}

/** `desc:  12%|█▏  | 123/1000 [01:02<07:20,  1.99it/s, loss=0.5]` of tqdm, Lightning and rich copies of it. */
const BAR =
  /^(?<name>[^%\r]{0,120}?)\s*\d{1,3}(?:\.\d+)?%\s*\|.{0,200}?\|\s*(?<step>\d+)\/(?<total>\d+)\s*\[(?<time>[\d:.]+)<(?<rest>[^,\]]*),\s*(?<rate>[\d.?]+)\s*(?<unit>it\/s|s\/it)?/u;
/** `123/500 [====>......] - ETA: 1:02 - loss: 0.5` of Keras. */
const KERAS = /^\s*(?<step>\d+)\/(?<total>\d+)\s+[[━](?:=|>|\.|━|\]|\s){0,80}.*\b(?:ETA|step)\b/u;

/** `Epoch 3/9 ━━━━━━━ 90/200 0:00:30 • 0:00:37 2.96it/s` of Lightning's rich bar. */
const RICH =
  /^(?<name>[^━]{0,120}?)\s*[━╸╺]{1,80}[━╸╺\s]*\s(?<step>\d+)\/(?<total>\d+)\s+\d+:\d\d:\d\d\s+•\s+\S+\s+(?<rate>[\d.]+)(?<unit>it\/s)/u;

/** Names of bars that count something else than the steps of a training. */
const OTHER_BAR =
  /load|map|filter|download|token|fetch|generat|extract|upload|shard|casting|saving|writing|resolving|packing|split|concat|sanity|predict/i;
const EVAL_BAR = /^\W{0,8}(?:eval|valid|test)/i;

function readBar(text: string, draft: Draft): void {
  const groups = (BAR.exec(text) ?? RICH.exec(text) ?? KERAS.exec(text))?.groups;
  if (groups === undefined) return;
  const name = groups['name']?.trim() ?? '';
  if (EVAL_BAR.test(name)) {
    draft.phase = 'eval';
    draft.edge = groups['step'] === groups['total'] ? 'end' : 'begin';
    return;
  }
  if (OTHER_BAR.test(name)) return;
  draft.track = 'bar';
  draft.step = Number(groups['step']);
  draft.totalSteps = Number(groups['total']);
  const rate = Number(groups['rate']);
  if (rate > 0 && groups['unit'] !== undefined) draft.secondsPerStep = groups['unit'] === 's/it' ? rate : 1 / rate;
  // Lightning names the bar after the epoch, which it counts from 0.
  const epoch = /^Epoch\s+(\d+)(?:\/(\d+))?/i.exec(name);
  if (epoch !== null) draft.epoch = Number(epoch[1]);
}

interface Counter {
  readonly track: string;
  readonly pattern: RegExp;
}

/** How trainers without a bar number their steps; the first that fits counts. */
const STEPS: readonly Counter[] = [
  { track: 'global_step', pattern: /["']?global_step(?:\/max_steps)?["']?\s*[:=]\s*["']?(\d+)(?:\/(\d+))?/ },
  { track: 'iteration', pattern: /(?<![A-Za-z_])iteration\s+(\d+)\s*\/\s*(\d+)/ },
  { track: 'iter', pattern: /^\s*iter\s+(\d+)\s*:/ },
  { track: 'step', pattern: /(?<![A-Za-z_])step["']?\s*[:=]?\s*\[?(\d+)(?:\s*(?:\/|of)\s*(\d+))?/i },
  { track: 'batch', pattern: /^\s*(?:Train )?Epoch:?\s*\[?\d+\]?\s*\[\s*(\d+)\/(\d+)/i },
  // mmengine
  { track: 'batch', pattern: /Epoch\(train\)\s*\[\d+\]\[\s*(\d+)\/(\d+)\]/ },
  { track: 'iter', pattern: /(?<![A-Za-z_])iter(?:ation)?\s*[:=]\s*\[?(\d+)(?:\s*\/\s*(\d+))?/i },
  { track: 'batch', pattern: /(?<![A-Za-z_])batch\s*[:=]?\s*\[?(\d+)(?:\s*\/\s*(\d+))/i },
];

const EPOCHS: readonly RegExp[] = [
  /Epoch\(train\)\s*\[(\d+)\]/,
  /["']epoch["']\s*:\s*["']?(\d+(?:\.\d+)?)/,
  /(?:^|[\s[(|,])epoch\s*[:=#]?\s*\[?\s*(\d+(?:\.\d+)?)\s*\]?(?:\s*(?:\/|of)\s*(\d+))?/i,
];

function readCounters(text: string, draft: Draft): void {
  if (draft.phase === 'eval') return;
  for (const { track, pattern } of draft.step === undefined ? STEPS : []) {
    const match = pattern.exec(text);
    if (match === null) continue;
    draft.track = track;
    draft.step = Number(match[1]);
    if (match[2] !== undefined) draft.totalSteps = Number(match[2]);
    break;
  }
  for (const pattern of draft.epoch === undefined ? EPOCHS : []) {
    const match = pattern.exec(text);
    if (match === null) continue;
    draft.epoch = Number(match[1]);
    if (match[2] !== undefined) draft.totalEpochs = Number(match[2]);
    break;
  }
}

/** What a Hugging Face trainer says before it starts. */
function readTotals(text: string, draft: Draft): void {
  const epochs = /^\s*Num Epochs\s*=\s*([\d,]+)/.exec(text)?.[1];
  if (epochs !== undefined) draft.totalEpochs = Number(epochs.replaceAll(',', ''));
  const steps = /^\s*Total optimization steps\s*=\s*([\d,]+)/.exec(text)?.[1];
  if (steps !== undefined) draft.totalSteps = Number(steps.replaceAll(',', ''));
}

const EVAL_BEGINS = /\*{5} Running (?:Evaluation|Prediction)\b|^\s*(?:Running|Starting) (?:eval|validation)/i;
const EVAL_ENDS = /["'](?:eval|val)_(?:loss|runtime)["']\s*:|\bvalidation loss at iteration\b/i;
const CHECKPOINT_ENDS =
  /\b(?:successfully saved checkpoint|checkpoint saved|saved (?:model )?checkpoint|model weights saved)\b|^\s*Saved .{0,200}\bcheckpoint/i;
const CHECKPOINT_BEGINS = /\bsaving (?:the )?(?:model )?(?:checkpoint|model|current model|weights)\b/i;

function readPhase(text: string, draft: Draft): void {
  if (EVAL_BEGINS.test(text)) Object.assign(draft, { phase: 'eval', edge: 'begin' });
  else if (EVAL_ENDS.test(text)) Object.assign(draft, { phase: 'eval', edge: 'end' });
  else if (CHECKPOINT_ENDS.test(text)) Object.assign(draft, { phase: 'checkpoint', edge: 'end' });
  else if (CHECKPOINT_BEGINS.test(text)) Object.assign(draft, { phase: 'checkpoint', edge: 'begin' });
}

/** A loss somewhere in prose is none. */
function isAboutTraining(text: string, { step, epoch, phase }: Draft): boolean {
  return step !== undefined || epoch !== undefined || phase !== undefined || /^\s*\{.*loss/.test(text);
}

function readValues(text: string, draft: Draft): void {
  for (const { key, pattern } of VALUES) {
    const match = pattern.exec(text);
    const value = match === null ? Number.NaN : Number(match[1]);
    // The last line of a Hugging Face trainer has the mean over all steps.
    if (key === 'loss' && text.includes('train_runtime')) continue;
    if (match !== null && Number.isFinite(value)) Object.assign(draft, { [key]: value });
  }
  const own = ownStepTime(text);
  if (own !== null) draft.secondsPerStep = own;
}

/** Megatron and nanoGPT give milliseconds, ms-swift its speed. */
function ownStepTime(text: string): number | null {
  const ms =
    /elapsed time per iteration \(ms\):\s*([\d.]+)/.exec(text) ??
    /^\s*iter\s+\d+:.*\btime\s+([\d.]+)\s*ms\b/.exec(text);
  if (ms !== null) return positive(Number(ms[1]) / 1000);
  const swift = /train_speed\((iter\/s|s\/it)\)["']?\s*:\s*["']?([\d.]+)/.exec(text);
  if (swift === null) return null;
  return positive(swift[1] === 's/it' ? Number(swift[2]) : 1 / Number(swift[2]));
}

function positive(value: number): number | null {
  return Number.isFinite(value) && value > 0 ? value : null;
}
