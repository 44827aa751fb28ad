import { expect, test } from 'vitest';
import type { ApiGpus } from '../model/api.ts';
import type { SourceInfo } from './data/feed.ts';
import { type Refusing, refusalOf } from './kill.ts';

const SOURCE: SourceInfo = {
  ...{
    name: 'nvml',
    origin: 'live',
    state: 'running',
    releasedUntil: null,
    reason: null,
    notices: [],
    intervalMs: 1000,
  },
};
const STATE: ApiGpus = { at: 1, host: 'here', source: 'nvml', sequence: 1, gpus: [], machine: null };
const OURS: Refusing = { isReadonly: false, host: 'here', server: null, source: SOURCE, state: STATE };

test.each<[string, Partial<Refusing>]>([
  ['read by this process', {}],
  ['told by a server of this machine', { server: 'http://127.0.0.1:9400/' }],
  ['told by one on the loopback of IPv6', { server: 'http://[::1]:9400/gpulse/' }],
])('processes of this machine may get signals: %s', (_name, facts) => {
  expect(refusalOf({ ...OURS, ...facts })).toBe(null);
});

test.each<[string, Partial<Refusing>, string]>([
  ['read-only', { isReadonly: true }, 'readonly'],
  ['a server elsewhere, even where the machine has our name', { server: 'http://node7:9400/' }, 'elsewhere'],
  [
    'a tunnel: the address is ours, the machine is not',
    { server: 'http://localhost:9400/', state: { ...STATE, host: 'node7' } },
    'elsewhere',
  ],
  ['by ssh', { source: { ...SOURCE, name: 'nvidia-smi:ssh:node7' } }, 'elsewhere'],
  ['a simulation', { source: { ...SOURCE, origin: 'simulated' } }, 'elsewhere'],
  ['a recording', { source: { ...SOURCE, origin: 'recorded' } }, 'elsewhere'],
  ['nothing known yet', { source: null }, 'elsewhere'],
])('others may not: %s', (_name, facts, reason) => {
  expect(refusalOf({ ...OURS, ...facts })).toBe(reason);
});
