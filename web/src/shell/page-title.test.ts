import { expect, test } from 'vitest';
import { pageTranslator } from '../../../src/model/i18n/page-messages.ts';
import { pageTitle } from './page-title.ts';

const MIG = { parent: 'GPU-a', gpuInstance: 5, computeInstance: 0, profile: '1g.10gb' };
const GPUS = [
  { uuid: 'GPU-a', index: 3, mig: null },
  { uuid: 'MIG-a', index: 3, mig: MIG },
];

test('pageTitle', () => {
  const base = { route: { view: 'overview' }, host: 'node1', gpus: GPUS, trouble: 0 } as const;
  const check = (change: Partial<Parameters<typeof pageTitle>[0]>, want: string, lang: 'en' | 'zh' = 'en') =>
    expect(pageTitle({ ...base, ...change }, pageTranslator(lang))).toBe(want);
  check({}, 'node1 – gpulse');
  check({ host: null }, 'gpulse');
  check({ trouble: 2 }, '(2) node1 – gpulse');
  check({ route: { view: 'gpu', uuid: 'GPU-a' } }, 'GPU 3 · node1 – gpulse');
  check({ route: { view: 'gpu', uuid: 'GPU-a' }, trouble: 1 }, '（1）GPU 3 · node1 – gpulse', 'zh');
  check({ route: { view: 'gpu', uuid: 'MIG-a' } }, 'GPU 3 · MIG 1g.10gb · GI 5 · node1 – gpulse');
  check({ route: { view: 'gpu', uuid: 'GPU-b' } }, 'node1 – gpulse');
  check({ route: { view: 'about' } }, 'About · node1 – gpulse');
  check({ route: { view: 'findings' } }, '诊断 · node1 – gpulse', 'zh');
  check({ route: { view: 'about' } }, '关于 · node1 – gpulse', 'zh');
});
