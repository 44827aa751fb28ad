import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandOf } from '../../../scripts/parts.ts';
import { CATALOGUE } from '../../model/catalogue.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { GpuProcess } from '../../model/process.ts';
import { ABSENCE_REASONS, absent, type Reading } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { gpu, migOf, NAMING, NOW, pageOf, textOf, viewOf } from '../test-page.ts';
import { TickMemory } from '../tick-memory.ts';

/** Pages of devices as no driver should report them, read back by the grammar of the formats. */

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '"', '\\', '\n', '\\n"}', 'GPU 0', '显卡 🚀', '\u0000', '\ud800', '} 1\ngpulse_forged 1'),
);
const reading: fc.Arbitrary<Reading> = fc.oneof(
  fc.double(),
  fc.nat(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0, Number.MAX_SAFE_INTEGER),
  fc.constantFrom(...ABSENCE_REASONS).map((reason) => absent(reason)),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 2 });

const process: fc.Arbitrary<GpuProcess> = fc.record({
  pid: fc.integer({ min: 1, max: 5 }),
  kind: fc.constantFrom('compute' as const, 'graphics' as const, 'compute+graphics' as const),
  memoryBytes: reading,
  name: maybe(text),
  user: maybe(text),
  smRatio: reading,
  owner: fc.record({
    container: fc.constant(null),
    pod: maybe(fc.record({ uid: maybe(text), namespace: maybe(text), name: maybe(text), container: maybe(text) })),
    job: fc.constant(null),
    unit: maybe(text),
  }),
});

const link = fc.record({
  link: fc.integer({ min: 0, max: 40 }),
  isActive: fc.boolean(),
  peerBusId: fc.constant(null),
  crcErrors: reading,
  replayErrors: reading,
  recoveryErrors: reading,
});

const facts = fc.record({
  name: text,
  serial: maybe(text),
  driverVersion: maybe(text),
  busId: maybe(text),
  vendor: fc.constantFrom('nvidia' as const, 'unknown' as const, 'amd' as const),
  isSplit: fc.boolean(),
  state: fc.constantFrom('ok' as const, 'lost' as const, 'stale' as const, 'asleep' as const),
  readings: fc.array(reading, { minLength: CATALOGUE.length, maxLength: CATALOGUE.length }),
  processes: fc.oneof(fc.array(process, { maxLength: 4 }), fc.constant(absent('no-permission'))),
  links: fc.uniqueArray(link, { maxLength: 4, selector: (each) => each.link }),
  fans: fc.array(reading, { maxLength: 3 }),
  xid: maybe(fc.integer({ min: 0, max: 200 })),
});

function pageFrom(devices: readonly (typeof facts extends fc.Arbitrary<infer T> ? T : never)[]) {
  const memory = new TickMemory();
  const views = devices.flatMap((its, index) => {
    const { name, serial, driverVersion, vendor, busId } = its;
    const card = gpu(index, { name, serial, driverVersion, vendor, pciBusId: busId });
    const readings = new ReadingSet();
    its.readings.forEach((value, slot) => {
      readings.set(slot, value);
    });
    const rest = {
      readings,
      state: its.state,
      processes: its.processes,
      details: { links: its.links, fans: its.fans },
    };
    const event = { at: NOW, kind: 'xid', severity: 'warning', uuid: card.uuid } as const;
    const events: GpuEvent[] = its.xid === null ? [] : [{ ...event, params: { xid: its.xid } }];
    const own = [viewOf(card, {}, rest)];
    if (its.isSplit) for (const instance of [1, 2]) own.push(viewOf(migOf(card, instance), {}, rest));
    memory.accept({ at: NOW, monotonic: NOW, devices: own, events });
    return own;
  });
  return pageOf(views, { memory });
}

const EVERYTHING = {
  ...NAMING,
  profiles: ['gpulse', 'dcgm', 'nvidia_smi'],
  ownerLabels: true,
  dcgm: { hostLabel: 'both', names: 'both', fields: 'all' },
} as const;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?\d\S*)$/;
const HEADER = /^# (?:HELP|TYPE|UNIT) ([a-zA-Z_:][\w:]*) ./;

/** Throws for what the format does not allow. */
function readBack(page: string): ReadonlySet<string> {
  const series = new Set<string>();
  const families = new Set<string>();
  let family = '';
  for (const line of page.split('\n').filter((each) => each !== '' && each !== '# EOF')) {
    const name = HEADER.exec(line)?.[1];
    if (name !== undefined) {
      if (name !== family && families.has(name)) throw new Error(`comes twice: ${name}`);
      families.add(name);
      family = name;
      continue;
    }
    const [, sample, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (sample === undefined || !sample.startsWith(family)) throw new Error(`no sample of ${family}: ${line}`);
    if (!Number.isFinite(Number(value))) throw new Error(`no number: ${line}`);
    const names = [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label);
    if (new Set(names).size !== names.length) throw new Error(`a label twice: ${line}`);
    const key = `${sample} ${labels}`;
    if (series.has(key)) throw new Error(`series twice: ${line}`);
    series.add(key);
  }
  return series;
}

test('whatever devices report, the page is well-formed and no series comes twice', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 4 }), (devices) => {
      const page = pageFrom(devices);
      const plain = textOf(page, EVERYTHING);
      expect(plain.endsWith('\n')).toBe(true);
      expect(plain).not.toMatch(/^gpulse_forged/m);
      const open = textOf(page, EVERYTHING, 'openmetrics');
      expect(open.endsWith('\n# EOF\n')).toBe(true);
      expect(readBack(open)).toEqual(readBack(plain));
    }),
    { numRuns: 60 },
  );
});

test.skipIf(commandOf('Prometheus') === null)('Prometheus parses such pages', () => {
  const devices = fc.sample(facts, { numRuns: 40, seed: 7 });
  const { stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: textOf(pageFrom(devices), EVERYTHING),
    encoding: 'utf8',
  });
  expect(
    stderr.split('\n').filter((line) => /error|duplicate|invalid/i.test(line) && !/^(?:DCGM|nvidia_smi)_/.test(line)),
  ).toEqual([]);
});
