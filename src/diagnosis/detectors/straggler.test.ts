import { expect, test } from 'vitest';
import type { Finding } from '../../model/finding.ts';
import { conclude, type Diagnosis, TICKS_TELL } from '../diagnosis.ts';
import { reportText } from '../report/text.ts';
import { noise, scriptedTicks } from '../test-ticks.ts';
import { TickLog } from '../window/tick-log.ts';

const SECONDS = 600;

/** Eight busy GPUs with these clocks, in gigahertz; the others run at 2. */
function diagnosed(clocks: Readonly<Record<number, number>>): Diagnosis {
  const log = new TickLog();
  const ticks = scriptedTicks({
    gpus: 8,
    seconds: SECONDS,
    readings: (gpu, second) => ({
      utilization_ratio: 0.95 + 0.04 * noise(gpu, second),
      power_watts: 600,
      power_limit_watts: 700,
      sm_clock_hertz: 1e9 * (clocks[gpu] ?? 2) - 1.5e7 * (second % 2),
    }),
  });
  for (const tick of ticks) log.add(tick);
  return conclude(log, { ...TICKS_TELL, name: 'a.csv', format: 'nvidia-smi-csv', seesXids: true });
}

const stragglers = ({ findings }: Diagnosis): readonly Finding[] => findings.filter(({ rule }) => rule === 'straggler');

test('two slow ranks share what the slowest costs their job, by how slow they are', () => {
  const found = stragglers(diagnosed({ 2: 1.2, 5: 1.6 }));
  expect(found.map(({ gpus }) => gpus[0])).toEqual(['GPU-test-2', 'GPU-test-5']);
  const [worst, other] = found.map(({ lostSeconds }) => lostSeconds);
  expect(worst! + other!).toBeCloseTo(0.4 * SECONDS * 8, -2);
  expect(worst! / other!).toBeCloseTo(2, 0);
});

test('its course is drawn beside that of the others, over all of its time', () => {
  const text = reportText(diagnosed({ 5: 1 }), 'en', false);
  expect(text).toMatch(/SM clock ▄{20} others █{20} 0–1992 MHz, 9 min 59 s/);
  expect(reportText(diagnosed({ 5: 1 }), 'zh', false)).toMatch(/▄{20} 其他卡 █{20}/);
});
