import { afterEach, describe, expect, test } from 'vitest';
import type { GpuProcess } from '../../model/process.ts';
import type { Reading } from '../../model/reading.ts';
import { closeCards, type FakeCards, openCards } from './fake-cards.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';

afterEach(closeCards);

const NEWER = 'nvmlDeviceGetProcessesUtilizationInfo';
const PLAIN = 'nvmlDeviceGetProcessUtilization';
/** Microseconds, on the wall clock. */
const LONG_AGO = (Date.now() - 60_000) * 1000;
const TWO = 'process 0 pid 21 memory 1 kind compute\nprocess 0 pid 22 memory 1 kind graphics';

/** `21 0.3 0.1 0 0` for each process: SM, memory, encoder, decoder. */
function shares(cards: FakeCards, position = 0): string[] {
  return (cards.list()[position]?.processes ?? []).map(
    ({ pid, smRatio, memoryRatio, encoderRatio, decoderRatio }) =>
      `${pid} ${[smRatio, memoryRatio, encoderRatio, decoderRatio].map(word).join(' ')}`,
  );
}

function word(reading: Reading | undefined): string {
  if (reading === undefined) return 'undefined';
  return typeof reading === 'number' ? String(Math.round(reading * 1e4) / 1e4) : reading.absent;
}

function all(processes: readonly GpuProcess[] | null, want: string): void {
  expect(processes?.map(({ smRatio }) => word(smRatio))).toEqual(processes?.map(() => want));
}

describe.skipIf(!HAS_FAKE_DRIVER)('how much each process uses', () => {
  test.each([
    ['the newer function', {}],
    ['the plain function', { without: [NEWER] }],
    ['an old driver', { variant: 'old' }],
  ] as const)('is told by %s, at once and from then on', (_, options) => {
    const script = `${TWO}\nuse 0 pid 21 at ~1000 sm 30 memory 10 encoder 5 decoder 7\nuse 0 pid 22 at ~1000 sm 2`;
    const cards = openCards(script, options);
    const want = ['21 0.3 0.1 0.05 0.07', '22 0.02 0 0 0'];
    expect(shares(cards)).toEqual(want);
    expect(shares(cards)).toEqual(want);
  });

  test('a process without a row was idle: that is a true zero', () => {
    const cards = openCards(`${TWO}\nuse 0 pid 21 at ~1000 sm 30`);
    expect(shares(cards)).toEqual(['21 0.3 0 0 0', '22 0 0 0 0']);
  });

  test.each([
    ['nothing newer (code 6)', `fail ${NEWER} 6`],
    ['only what was long ago', `use 0 pid 21 at ${LONG_AGO} sm 90`],
    [
      'only what was long ago, from a driver that does not filter',
      `gpu 0 sloppy on\nuse 0 pid 21 at ${LONG_AGO} sm 90`,
    ],
    ['only about others', 'use 0 pid 99 at ~1000 sm 90'],
  ])('%s: everybody was idle', (_, script) => {
    const cards = openCards(`${TWO}\n${script}`);
    for (let tick = 0; tick < 3; tick++) expect(shares(cards)).toEqual(['21 0 0 0 0', '22 0 0 0 0']);
  });

  test('several rows of a process are averaged over time, in whatever order they come', () => {
    // Since the newest less one second: 0.8 s at 50 % and 0.2 s at 100 %.
    const cards = openCards(`${TWO}\nuse 0 pid 21 at ~10000 sm 100\nuse 0 pid 21 at ~210000 sm 50`);
    expect(shares(cards)[0]).toMatch(/^21 0.(6|59\d+) 0 0 0$/);
  });

  test('each card has its own place in time, and a pid on two cards is two processes', () => {
    const script = [
      ...[0, 1].map((gpu) => `process ${gpu} pid 7 memory 1 kind compute`),
      'use 0 pid 7 at ~1000 sm 80',
      'use 1 pid 7 at ~900000 sm 20',
    ].join('\n');
    const cards = openCards(script, {}, 2);
    expect(cards.list().map(({ processes }) => word(processes?.[0]?.smRatio))).toEqual(['0.8', '0.2']);
  });

  test('a row beyond all measure is dropped, and alone it is no number', () => {
    const cards = openCards(
      [
        TWO,
        'use 0 pid 21 at ~300000 sm 30',
        'use 0 pid 21 at ~200000 sm 4294967295 memory 3',
        'use 0 pid 21 at ~100000 sm 30 memory 2000',
        'use 0 pid 22 at ~1000 sm 101',
      ].join('\n'),
    );
    expect(shares(cards)).toEqual(['21 0.3 0 0 0', '22 error error error error']);
  });

  test('a stamp in the future is none, and does not keep out what comes after it', () => {
    const future = (Date.now() + 3_600_000) * 1000;
    const cards = openCards(
      `${TWO}\nuse 0 pid 21 at ~1000 sm 30\nuse 0 pid 21 at ${future} sm 99\nuse 0 pid 22 at 18446744073709551615 sm 5`,
    );
    for (let tick = 0; tick < 3; tick++) expect(shares(cards)).toEqual(['21 0.3 0 0 0', '22 0 0 0 0']);
  });

  test('a stamp of 0 is none', () => {
    const cards = openCards(`${TWO}\ngpu 0 sloppy on\nuse 0 pid 21 at 0 sm 99\nuse 0 pid 22 at ~1000 sm 5`);
    expect(shares(cards)).toEqual(['21 0 0 0 0', '22 0.05 0 0 0']);
  });

  test('on a clock that is not the wall clock the first answer only shows where to begin', () => {
    const cards = openCards(`${TWO}\ngpu 0 clock-boot on\nuse 0 pid 21 at ~1000 sm 30`);
    all(cards.list()[0]!.processes, 'not-collected');
    expect(shares(cards)).toEqual(['21 0.3 0 0 0', '22 0 0 0 0']);
  });

  test('a clock that was set back is noticed at once', () => {
    const cards = openCards(`${TWO}\nuse 0 pid 21 at ~1000 sm 30`);
    expect(shares(cards)[0]).toBe('21 0.3 0 0 0');
    cards.gpu.use.cursor.begin((Date.now() - 3_600_000) * 1000, performance.now());
    expect(cards.gpu.use.cursor.since).toBe(0);
  });

  test('more rows than expected, and rows that never fit', () => {
    const many = Array.from({ length: 900 }, (_, i) => `use 0 pid ${i + 1000} at ~1000 sm 1`).join('\n');
    const cards = openCards(`${TWO}\n${many}\nuse 0 pid 22 at ~1000 sm 44`);
    expect(shares(cards)[1]).toBe('22 0.44 0 0 0');
    for (const need of ['1000', '4294967295']) {
      cards.driver.script(`gpus 1\n${TWO}\ngpu 0 use-need ${need}`);
      all(cards.list()[0]!.processes, 'error');
    }
  });

  test('a wrong count of rows: what was not written is not believed', () => {
    const cards = openCards(`${TWO}\nuse 0 pid 21 at ~1000 sm 30\ngpu 0 use-count 100`);
    expect(shares(cards)).toEqual(['21 0.3 0 0 0', '22 0 0 0 0']);
    cards.driver.script(`gpus 1\n${TWO}\nuse 0 pid 21 at ~1000 sm 30\ngpu 0 use-count 4294967295`);
    all(cards.list()[0]!.processes, 'error');
  });

  test.each([
    ['3', 'not-supported'],
    ['13', 'not-supported'],
    ['4', 'no-permission'],
    ['999', 'error'],
    ['16', 'error'],
  ])('code %s is %s, and the list stays', (code, want) => {
    const cards = openCards(`${TWO}\nfail ${NEWER} ${code}\nfail ${PLAIN} ${code}`);
    for (let tick = 0; tick < 2; tick++) all(cards.list()[0]!.processes, want);
    expect(cards.list()[0]).toMatchObject({ reason: null });
    const asked = cards.driver.calls(PLAIN) + cards.driver.calls(NEWER);
    cards.list();
    const again = cards.driver.calls(PLAIN) + cards.driver.calls(NEWER) - asked;
    expect(again > 0).toBe(want === 'error');
  });

  test.each(['3', '13', '25', '2'])('a newer function that gives %s falls back to the plain one, for good', (code) => {
    const cards = openCards(`${TWO}\nfail ${NEWER} ${code}\nuse 0 pid 21 at ~1000 sm 30`);
    for (let tick = 0; tick < 3; tick++) expect(shares(cards)[0]).toBe('21 0.3 0 0 0');
    expect(cards.driver.calls(NEWER)).toBe(1);
  });

  test('what rests is asked again when its turn comes', () => {
    const cards = openCards(`${TWO}\nfail ${NEWER} 4\nfail ${PLAIN} 4`);
    all(cards.list()[0]!.processes, 'no-permission');
    cards.driver.script(`gpus 1\n${TWO}\nuse 0 pid 21 at ~1000 sm 30`);
    cards.gpu.wakeQuestions();
    expect(shares(cards)[0]).toBe('21 0.3 0 0 0');
  });

  test('is not told on a card in MIG mode, which is not the same as never', () => {
    const cards = openCards(`${TWO}\nuse 0 pid 21 at ~1000 sm 30`);
    cards.gpu.mig = true;
    all(cards.list()[0]!.processes, 'mig');
    expect(cards.driver.calls(NEWER)).toBe(0);
    cards.gpu.mig = false;
    expect(shares(cards)[0]).toBe('21 0.3 0 0 0');
  });

  test('nobody is asked about where nobody runs, and a process that comes later gets nothing of before', () => {
    const cards = openCards('use 0 pid 21 at ~2500000 sm 90');
    for (let tick = 0; tick < 3; tick++) cards.list();
    expect(cards.driver.calls(NEWER)).toBe(0);
    cards.driver.script(`gpus 1\n${TWO}\nuse 0 pid 21 at ~2500000 sm 90\nuse 0 pid 21 at ~1000 sm 10`);
    expect(shares(cards)[0]).toBe('21 0.1 0 0 0');
  });
});
