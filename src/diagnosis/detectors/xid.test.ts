import { expect, test } from 'vitest';
import type { GpuEvent } from '../../model/event.ts';
import type { Finding } from '../../model/finding.ts';
import { diagnose } from '../diagnose.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';

const AT = Date.UTC(2026, 0, 5, 8) + 2000;

function xid(code: number, params: GpuEvent['params'] = {}): GpuEvent {
  return { at: AT, kind: 'xid', severity: 'critical', uuid: 'GPU-test-1', params: { xid: code, ...params } };
}

/** What is said of errors that come together on a machine that works. */
function seen(...events: readonly GpuEvent[]): readonly Finding[] {
  const ticks = scriptedTicks({
    gpus: 2,
    seconds: 5,
    readings: () => ({ utilization_ratio: 0.95, power_watts: 600 }),
    events: (second) => (second === 2 ? events : []),
  });
  return diagnose(windowOf(ticks)).filter(({ rule }) => rule === 'xid');
}

test('Xids of one chain are one finding, led by the worst', () => {
  expect(seen(xid(31), xid(62), xid(45))).toMatchObject([
    { severity: 'critical', evidence: [{ values: { xid: 62 } }, { values: { xid: 31 } }, { values: { xid: 45 } }] },
  ]);
});

test('a lone application error is a warning', () => {
  expect(seen(xid(31), xid(43))).toMatchObject([{ severity: 'warning', evidence: [{ values: { xid: 31 } }, {}] }]);
});

test('a follow-up that names its cause stands for that, unless the cause is there itself', () => {
  const follow = xid(45, { causedBy: 149 });
  const wanted = [{ severity: 'warning', evidence: [{ values: { xid: 149, count: 1 } }, { values: { xid: 45 } }] }];
  expect(seen(follow)).toMatchObject(wanted);
  expect(seen(xid(149), follow)).toMatchObject(wanted);
});
