import { expect, test } from 'vitest';
import { translator } from '../../../src/model/i18n/messages.ts';
import { pageTitle } from './page-title.ts';

const GPUS = [{ uuid: 'GPU-a', index: 3 }];

test('pageTitle', () => {
  const base = { route: { view: 'overview' }, host: 'node1', gpus: GPUS, trouble: 0 } as const;
  const check = (change: Partial<Parameters<typeof pageTitle>[0]>, want: string, lang: 'en' | 'zh' = 'en') =>
    expect(pageTitle({ ...base, ...change }, translator(lang))).toBe(want);
  check({}, 'node1 – gpulse');
  check({ host: null }, 'gpulse');
  check({ trouble: 2 }, '(2) node1 – gpulse');
  check({ route: { view: 'gpu', uuid: 'GPU-a' } }, 'GPU 3 · node1 – gpulse');
  check({ route: { view: 'gpu', uuid: 'GPU-a' }, trouble: 1 }, '（1）GPU 3 · node1 – gpulse', 'zh');
  check({ route: { view: 'gpu', uuid: 'GPU-b' } }, 'node1 – gpulse');
  check({ route: { view: 'about' } }, 'About · node1 – gpulse');
  check({ route: { view: 'about' } }, '关于 · node1 – gpulse', 'zh');
});
