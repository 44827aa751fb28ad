import { expect, test } from 'vitest';
import type { ApiGpu } from '../model/api.ts';
import { cardsOf } from './mig.ts';
import { testGpu } from './test-gpu.ts';

function instance(uuid: string, parent: string): ApiGpu {
  return testGpu({ uuid, mig: { parent, gpuInstance: 1, computeInstance: 0, profile: '1g.10gb' } });
}

test('instances are put to their cards, whatever the order', () => {
  const check = (gpus: ApiGpu[], want: string) => {
    const text = cardsOf(gpus).map(({ gpu, instances }) => [gpu, ...instances].map(({ uuid }) => uuid).join('>'));
    expect(text.join(' ')).toBe(want);
  };
  const [a, b] = [testGpu({ uuid: 'a' }), testGpu({ uuid: 'b' })];
  check([], '');
  check([a, b], 'a b');
  check([a, instance('a1', 'a'), instance('a2', 'a'), b], 'a>a1>a2 b');
  check([instance('b1', 'b'), a, b], 'a b>b1');
  // The card may not be readable by this user, while its instance is.
  check([a, instance('x1', 'x')], 'a x1');
});
