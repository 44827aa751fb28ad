import { AppError } from '../../model/errors.ts';
import { badValue, conflict, EXIT, incomplete, SmiFailure } from './failure.ts';
import { monitorRequest } from './monitor-arguments.ts';
import { hostOf, intervalMs, OWN_OPTIONS, sourceFlags } from './own-options.ts';
import { parseFormat } from './query/format.ts';
import { QUERIES, type QueryName } from './query/query.ts';
import { DISPLAYS, type Display } from './report/node.ts';
import type { SmiRequest } from './request.ts';
import { type Given, type OptionSpec, sortWords } from './words.ts';

const MAIN_OPTIONS = {
  ...OWN_OPTIONS,
  version: { names: ['--version'], value: 'none' },
  list: { names: ['-L', '--list-gpus'], value: 'none' },
  // -g and -a are what older releases called -i and -q.
  ids: { names: ['-i', '--id', '-g'], value: 'required' },
  file: { names: ['-f', '--filename'], value: 'required' },
  loop: { names: ['-l', '--loop'], value: 'optional' },
  loopMs: { names: ['-lms', '--loop-ms'], value: 'required' },
  report: { names: ['-q', '--query', '-a'], value: 'none' },
  xml: { names: ['-x', '--xml-format'], value: 'none' },
  display: { names: ['-d', '--display'], value: 'required' },
  format: { names: ['--format'], value: 'required' },
  gpu: { names: ['--query-gpu'], value: 'required' },
  'compute-apps': { names: ['--query-compute-apps'], value: 'required' },
  'remapped-rows': { names: ['--query-remapped-rows'], value: 'required' },
  gpuHelp: { names: ['--help-query-gpu'], value: 'none' },
  processHelp: { names: ['--help-query-compute-apps'], value: 'none' },
  rowHelp: { names: ['--help-query-remapped-rows'], value: 'none' },
  allProcesses: { names: ['--show-all-processes'], value: 'none' },
  strict: { names: ['-eow', '--error-on-warning'], value: 'none' },
} as const satisfies Record<string, OptionSpec>;

type MainOptions = Given<keyof typeof MAIN_OPTIONS>;

/** What nvidia-smi does beyond reading. */
const CHANGES =
  /^(?:-(?:pm|e|p|c|r|vm|lgc|m|rgc|lmci|lmc|rmc|lmcd|rmcd|ac|acp|rac|svfd|gvfd|pl|sc|cc|am|caa|mig|gtt|den|t|dm|fdm)|--(?:persistence-mode|ecc-config|reset-ecc-errors|compute-mode|gom|gpu-reset|virt-mode|lock-gpu-clocks|mode|reset-gpu-clocks|lock-memory-clocks|reset-memory-clocks|applications-clocks|reset-applications-clocks|power-limit|scope|cuda-clocks|accounting-mode|clear-accounted-apps|auto-boost-default|auto-boost-permission|multi-instance-gpu|gpu-target-temp|dram-encryption|set-hostname|toggle-led|driver-model|force-driver-model))(?:=|$)/;
/** What it reads and gpulse does not. */
const UNREAD =
  /^(?:-(?:u|B|col)|--(?:get-hostname|dtd|debug|unit|columns|list-excluded-gpus|query-accounted-apps|query-supported-clocks|query-retired-pages|help-query-accounted-apps|help-query-supported-clocks|help-query-retired-pages))(?:=|$)/;
const CHANGING_MODES = /^(?:daemon|drain|clocks|boost-slider|power-smoothing|power-profiles)$/;
/** Those that read, or also do. */
const UNREAD_MODES =
  /^(?:replay|nvlink|c2c|encodersessions|fbcsessions|vgpu|mig|compute-policy|power-hint|base-clocks|event-log|cper|conf-compute|gpm|pci|rusd|prm|soc|stats|prs)$/;

/**
 * Reads the words behind `gpulse smi`; throws a SmiFailure, or for what gpulse leaves to nvidia-smi LEFT_TO_NVIDIA_SMI, and
 * SMI_NOT_OFFERED where that would only read.
 */
export function parseRequest(words: readonly string[]): SmiRequest {
  const at = modeAt(words);
  const mode = words[at] ?? '';
  const others = words.toSpliced(at, 1);
  if (mode === 'dmon' || mode === 'pmon') return monitorRequest(mode, others);
  if (mode === 'topo') return topologyRequest(others);
  const left = words.find((word) => CHANGES.test(word)) ?? (CHANGING_MODES.test(mode) ? mode : undefined);
  if (left !== undefined) throw new AppError('LEFT_TO_NVIDIA_SMI', { word: left });
  const unread = UNREAD_MODES.test(mode) ? mode : words.find((word) => UNREAD.test(word));
  if (unread !== undefined) throw new AppError('SMI_NOT_OFFERED', { word: unread });
  const given = sortWords(words, MAIN_OPTIONS);
  return {
    what: whatOf(given),
    source: sourceFlags(given),
    host: hostOf(given),
    ids: given.ids ?? null,
    file: given.file ?? null,
    intervalMs: intervalOf(given),
    limit: Number.POSITIVE_INFINITY,
  };
}

/** Position of the word that may name a mode: the first behind options of gpulse. */
function modeAt(words: readonly string[]): number {
  const own = Object.values(OWN_OPTIONS).filter(({ value }) => value === 'required');
  let at = 0;
  while (own.some(({ names }) => names.some((name) => words[at] === name || words[at]?.startsWith(`${name}=`)))) {
    at += words[at]?.includes('=') ? 1 : 2;
  }
  return at;
}

function whatOf(given: MainOptions): SmiRequest['what'] {
  const { gpuHelp, processHelp, rowHelp } = given;
  if (given.help !== undefined) return { kind: 'help' };
  if (gpuHelp !== undefined) return { kind: 'field-help', query: 'gpu' };
  if (processHelp !== undefined) return { kind: 'field-help', query: 'compute-apps' };
  if (rowHelp !== undefined) return { kind: 'field-help', query: 'remapped-rows' };
  if (given.version !== undefined) return { kind: 'version' };
  if (given.report === undefined) {
    if (given.xml !== undefined) throw incomplete('-x', '-q');
    if (given.display !== undefined) throw incomplete('-d', '-q');
  }
  const queries = (Object.keys(QUERIES) as QueryName[]).filter((name) => given[name] !== undefined);
  const [name] = queries;
  if (queries.length > 1) {
    throw new SmiFailure('Only one --query-* switch can be used at a time.', EXIT.badArgument);
  }
  if (name !== undefined) {
    const other = given.report !== undefined ? '-q' : given.list !== undefined ? '-L' : null;
    if (other !== null) throw conflict(`--query-${name}`, other);
    // A wrong field is named even where the format is missing.
    const fields = QUERIES[name].choose(given[name] ?? '');
    return { kind: 'query', query: { name, fields, format: parseFormat(given.format ?? null) } };
  }
  if (given.format !== undefined) throw incomplete('--format', '--query-gpu');
  if (given.list !== undefined) return { kind: 'list' };
  if (given.report === undefined) return { kind: 'table' };
  if (given.xml === undefined) return { kind: 'report', displays: displaysOf(given.display) };
  if (given.display !== undefined) throw conflict('-x', '-d');
  return { kind: 'xml' };
}

function displaysOf(list: string | undefined): readonly Display[] {
  return (list?.split(',') ?? []).map((word) => {
    const display = DISPLAYS.find((name) => name === word.trim().toUpperCase());
    if (display === undefined) throw badValue('-d', word, DISPLAYS.join(', '));
    return display;
  });
}

/** Where `-l` stands without a number. */
const USUAL_LOOP_S = 5;

function intervalOf({ loop, loopMs }: MainOptions): number | null {
  if (loop !== undefined && loopMs !== undefined) throw conflict('-l', '-lms');
  if (loopMs !== undefined) return intervalMs('-lms', loopMs, 1);
  return loop === undefined ? null : intervalMs('-l', loop === '' ? String(USUAL_LOOP_S) : loop, 1000);
}

const TOPOLOGY_OPTIONS = {
  ...OWN_OPTIONS,
  matrix: { names: ['-m', '--matrix'], value: 'none' },
  ids: { names: ['-i', '--id'], value: 'required' },
} as const satisfies Record<string, OptionSpec>;

function topologyRequest(words: readonly string[]): SmiRequest {
  const left = words.find((word) => /^-(?:mp|c|n|p|p2p|C|nvme)$/.test(word));
  if (left !== undefined) throw new AppError('SMI_NOT_OFFERED', { word: `topo ${left}` });
  const given = sortWords(words, TOPOLOGY_OPTIONS);
  if (given.help === undefined && given.matrix === undefined) throw incomplete('topo', '-m');
  return {
    what: { kind: given.help === undefined ? 'topology' : 'help' },
    source: sourceFlags(given),
    host: hostOf(given),
    ids: given.ids ?? null,
    file: null,
    intervalMs: null,
    limit: 1,
  };
}
