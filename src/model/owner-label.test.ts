import { expect, test } from 'vitest';
import { type LabelledOwner, ownerLabel } from './owner-label.ts';

const NOBODY: LabelledOwner = { container: null, pod: null, job: null, unit: null };
const CONTAINER = { id: 'b15a5bdedd2e7645c3be271364324321', name: null };
const POD = { uid: 'fd52ef25-a87d-11e9-9423-0800271a638e', namespace: 'ml', name: 'train-0' };

test('the narrowest owner with a name is named', () => {
  const check = (owner: Partial<LabelledOwner> | null, want: string | null) => {
    const label = ownerLabel(owner === null ? null : { ...NOBODY, ...owner });
    expect(label === null ? null : `${label.kind} ${label.text}`).toBe(want);
  };
  check(null, null);
  check({}, null);
  check({ unit: 'jupyter.service' }, 'unit jupyter.service');
  check({ unit: 'docker.service', container: CONTAINER }, 'container b15a5bdedd2e');
  check({ container: { ...CONTAINER, name: 'train' } }, 'container train');
  check({ job: { id: '4711' }, container: CONTAINER }, 'job 4711');
  check({ pod: POD, container: CONTAINER }, 'pod ml/train-0');
  check({ pod: { ...POD, namespace: null } }, 'pod train-0');
  check({ pod: { ...POD, name: null, namespace: null } }, 'pod fd52ef25-a87');
  check({ pod: { uid: null, namespace: 'ml', name: null } }, 'pod ?');
});
