import { expect, test } from 'vitest';
import { sourceSpec } from './options.ts';

test('--remote is nvidia-smi on another machine, and goes with no other source', () => {
  const check = (source: string, remote: string | undefined, want: string) =>
    expect(sourceSpec(remote === undefined ? { source } : { source, remote })).toBe(want);
  check('auto', undefined, 'auto');
  check('auto', 'ssh:ops@node-7', 'nvidia-smi:ssh:ops@node-7');
  check('nvidia-smi', 'ssh:node-7:22', 'nvidia-smi:ssh:node-7:22');
  const refuse = (source: string, remote: string) =>
    expect(() => sourceSpec({ source, remote })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  refuse('auto', 'node-7');
  refuse('auto', '');
  refuse('nvml', 'ssh:node-7');
  refuse('simulate:demo', 'ssh:node-7');
});
