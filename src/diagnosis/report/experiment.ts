import type { Finding, RuleId } from '../../model/finding.ts';
import { NAMED_STATES } from '../../model/finding.ts';

/** One change to try, as a record of an experiment: names of settings are the same in every language. */
export interface Trial {
  readonly setting: string;
  readonly value: string;
  readonly because: RuleId;
}

const TRIALS: Readonly<Partial<Record<RuleId, readonly Omit<Trial, 'because'>[]>>> = {
  'data-starvation': [
    { setting: 'DataLoader(num_workers=…)', value: '4, 8, 16' },
    { setting: 'DataLoader(pin_memory=…)', value: 'True' },
    { setting: 'DataLoader(persistent_workers=…)', value: 'True' },
    { setting: 'DataLoader(prefetch_factor=…)', value: '4' },
  ],
  'epoch-gap': [{ setting: 'DataLoader(persistent_workers=…)', value: 'True' }],
  'checkpoint-stall': [{ setting: 'checkpoint', value: 'torch.distributed.checkpoint.async_save' }],
  'low-utilization': [{ setting: 'batch_size', value: '×2' }],
  'launch-bound': [
    { setting: 'torch.compile(mode=…)', value: '"reduce-overhead"' },
    { setting: 'batch_size', value: '×2' },
  ],
  'bandwidth-bound': [{ setting: 'torch.autocast(dtype=…)', value: 'torch.bfloat16' }],
  'memory-near-limit': [
    { setting: 'batch_size', value: '÷2' },
    { setting: 'gradient_accumulation_steps', value: '×2' },
    { setting: 'torch.autocast(dtype=…)', value: 'torch.bfloat16' },
  ],
  'oom-fragmentation': [{ setting: 'PYTORCH_CUDA_ALLOC_CONF', value: 'expandable_segments:True' }],
  imbalance: [{ setting: 'parallel', value: 'DistributedDataParallel + DistributedSampler' }],
  'comm-bound': [{ setting: 'gradient_accumulation_steps', value: '×2 (no_sync)' }],
};

/** Settings to try for what was found, the surest finding first; each setting once. */
export function trialsFor(findings: readonly Finding[]): readonly Trial[] {
  const seen = new Set<string>();
  return findings
    .filter(({ state }) => NAMED_STATES.includes(state))
    .flatMap(({ rule }) => (TRIALS[rule] ?? []).map((trial) => ({ ...trial, because: rule })))
    .filter(({ setting }) => !seen.has(setting) && seen.add(setting));
}
