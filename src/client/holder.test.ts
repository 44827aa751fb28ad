import { expect, test } from 'vitest';
import type { ApiOwner } from '../model/api-process.ts';
import { holderOf } from './holder.ts';

const NOBODY: ApiOwner = { container: null, pod: null, job: null, unit: null };
const POD = { uid: 'fd52ef25-a87d-11e9', namespace: 'ml', name: 'train-0', container: null };

test('whoever holds a GPU is named by pod, else by user, else by what is known', () => {
  const check = (user: string | null, owner: Partial<ApiOwner> | null, want: string | null) =>
    expect(holderOf({ user, owner: owner === null ? null : { ...NOBODY, ...owner } })).toBe(want);
  check('li', null, 'li');
  check('li', {}, 'li');
  check('root', { pod: POD }, 'ml/train-0');
  check('root', { pod: { ...POD, name: null } }, 'root');
  check(null, { pod: { ...POD, name: null } }, 'fd52ef25-a87');
  check('li', { job: { scheduler: 'slurm', id: '7', step: null, user: null } }, 'li');
  check(null, { unit: 'jupyter.service' }, 'jupyter.service');
  check(null, null, null);
});
