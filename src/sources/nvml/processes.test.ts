import { afterEach, describe, expect, test } from 'vitest';
import type { GpuProcess } from '../../model/process.ts';
import { closeCards, type FakeCards, openCards } from './fake-cards.ts';
import { type FakeDriverOptions, HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';
import { hasProcessTrap } from './processes.ts';

afterEach(stopMachines);
afterEach(closeCards);

/** `42 compute 1024` for every process of card 0, or the reason why there is no list; a reason for a part comes last. */
function list(script: string, options: FakeDriverOptions = {}): string[] | string {
  return answer(openCards(script, options));
}

function answer(cards: FakeCards, position = 0): string[] | string {
  const { processes, reason } = cards.list()[position]!;
  if (processes === null) return reason ?? 'no reason';
  return [...words(processes), ...(reason === null ? [] : [`partial: ${reason}`])];
}

function words(processes: readonly GpuProcess[]): string[] {
  return processes.map(({ pid, kind, memoryBytes }) => {
    const memory = typeof memoryBytes === 'number' ? memoryBytes : memoryBytes.absent;
    return `${pid} ${kind} ${memory}`;
  });
}

const COMPUTE = 'nvmlDeviceGetComputeRunningProcesses';
const GRAPHICS = 'nvmlDeviceGetGraphicsRunningProcesses';
const MPS = 'nvmlDeviceGetMPSComputeRunningProcesses';
const TWO = 'process 0 pid 21 memory 77 kind both\nprocess 0 pid 22 memory 88 kind compute';
const WANT = ['21 compute+graphics 77', '22 compute 88'];

describe.skipIf(!HAS_FAKE_DRIVER)('processes', () => {
  test('reach the tick by kind; one in both lists is one process, clients of MPS compute', async () => {
    const script = [
      'process 0 pid 10 memory 1024 kind compute',
      'process 0 pid 11 memory 2048 kind graphics',
      'process 0 pid 12 memory 4096 kind both',
      'process 0 pid 13 memory 8192 kind mps',
      'process 1 pid 10 memory 5 kind compute',
      'use 0 pid 10 at ~1000 sm 40',
    ].join('\n');
    const machine = await startMachine({ script: `gpus 2\n${script}` });
    const { devices } = await machine.tick();
    const [first, second] = devices.map(({ processes }) => processes as readonly GpuProcess[]);
    expect(words(first!)).toEqual([
      '10 compute 1024',
      '12 compute+graphics 4096',
      '11 graphics 2048',
      '13 compute 8192',
    ]);
    expect(words(second!)).toEqual(['10 compute 5']);
    expect(first?.[0]).toEqual({
      pid: 10,
      kind: 'compute',
      memoryBytes: 1024,
      name: null,
      user: null,
      smRatio: 0.4,
      memoryRatio: 0,
      encoderRatio: 0,
      decoderRatio: 0,
    });
    expect(devices[0]).not.toHaveProperty('processesPartial');
  });

  test('a list that is only a part says so in the tick', async () => {
    const machine = await startMachine({ script: `gpus 1\n${TWO}\nfail ${GRAPHICS}_v3 999` });
    const sample = await machine.sample();
    expect(sample.processesPartial).toBe('error');
    expect(sample.processes).toHaveLength(2);
  });

  test('hold no more memory than there is', async () => {
    const machine = await startMachine({
      script: `gpus 1\nprocess 0 pid 7 memory 999999999999999 kind compute\nprocess 0 pid 8 memory 5 kind compute`,
    });
    const { processes } = await machine.sample();
    expect(words(processes as readonly GpuProcess[])).toEqual(['7 compute error', '8 compute 5']);
  });

  test('that ended are gone at once', () => {
    const cards = openCards(TWO);
    expect(answer(cards)).toEqual(WANT);
    cards.driver.script('gpus 1\nprocess 0 pid 22 memory 88 kind compute');
    expect(answer(cards)).toEqual(['22 compute 88']);
    cards.driver.script('gpus 1');
    expect(answer(cards)).toEqual([]);
  });

  test('no process is an empty list, not an absent one', () => {
    expect(list('')).toEqual([]);
  });

  test('memory that the driver does not know is not supported; other nonsense is an error', () => {
    const script = [
      'process 0 pid 1 memory 18446744073709551615 kind compute',
      'process 0 pid 2 memory 9223372036854775794 kind compute',
      'process 0 pid 3 memory 0 kind compute',
      'process 0 pid 4 memory 18446744073709551615 kind mps',
    ].join('\n');
    expect(list(script)).toEqual([
      '1 compute not-supported',
      '2 compute error',
      '3 compute 0',
      '4 compute not-supported',
    ]);
  });

  test('a process in two MIG instances has the memory of both, and stands in the records once for each', () => {
    const cards = openCards(
      'process 0 pid 9 memory 100 kind compute instance 1 compute-instance 0\n' +
        'process 0 pid 9 memory 30 kind both instance 2 compute-instance 1',
    );
    cards.gpu.mig = true;
    expect(answer(cards)).toEqual(['9 compute+graphics 130']);
    const { records, count } = cards.processes.table;
    expect(count).toBe(2);
    expect([...records.slice(8, 10), ...records.slice(18, 20)]).toEqual([1, 0, 2, 1]);
    expect(cards.driver.calls('nvmlDeviceGetProcessesUtilizationInfo')).toBe(0);
  });

  test('without MIG the instances that a driver names mean nothing', () => {
    const cards = openCards(
      'process 0 pid 9 memory 100 kind both instance 0 compute-instance 0\nuse 0 pid 9 at ~10 sm 5',
      {
        without: [`${GRAPHICS}_v3`, `${GRAPHICS}_v2`],
      },
    );
    expect(answer(cards)).toEqual(['9 compute+graphics 100']);
    expect(cards.list()[0]?.processes?.[0]?.smRatio).toBe(0.05);
  });

  test.each([
    ['v3', {}],
    ['v2', { without: [`${COMPUTE}_v3`, `${GRAPHICS}_v3`, `${MPS}_v3`] }],
    ['v1', { variant: 'old' }],
    ['v3 for one list, v1 for the other', { without: [`${GRAPHICS}_v3`, `${GRAPHICS}_v2`] }],
  ] as const)('are read with the entry size of %s', (_, options) => {
    expect(list(TWO, options)).toEqual(WANT);
  });

  test.each(['13', '25'])('a version that gives code %s makes way for the one before it', (code) => {
    expect(
      list(`${TWO}\nfail ${COMPUTE}_v3 ${code}\nfail ${GRAPHICS}_v3 ${code}\nfail ${GRAPHICS}_v2 ${code}`),
    ).toEqual(WANT);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('entries that are longer than they should be', () => {
  const NO_V2 = { without: [`${COMPUTE}_v2`, `${GRAPHICS}_v2`, `${MPS}_v2`] } as const;
  const NAMELESS = 'fail nvmlSystemGetDriverVersion 999';
  const FIVE = Array.from(
    { length: 5 },
    (_, i) => `process 0 pid ${4001 + i} memory ${(i + 1) * 1048576} kind compute`,
  );
  const FIVE_WANT = Array.from({ length: 5 }, (_, i) => `${4001 + i} compute ${(i + 1) * 1048576}`);
  const WSL = FIVE.map((line) =>
    line.replace(/memory \d+/, 'memory 18446744073709551615 protected 18446744073709551615'),
  );
  const WSL_WANT = FIVE_WANT.map((line) => line.replace(/\d+$/, 'not-supported'));
  const CONFIDENTIAL = FIVE.map((line) => `${line} protected 524288`);

  test('of the drivers that are known for them are avoided by the v2 calls', () => {
    const cards = openCards(`driver 535.54.03\n${TWO}`);
    expect(answer(cards)).toEqual(WANT);
    expect(cards.driver.calls(`${COMPUTE}_v3`)).toBe(0);
  });

  test('are avoided too while nobody knows which driver it is', () => {
    const cards = openCards(`driver 535.54.03\n${NAMELESS}\n${TWO}`);
    expect(answer(cards)).toEqual(WANT);
    expect(cards.driver.calls(`${COMPUTE}_v3`)).toBe(0);
  });

  const CASES: readonly [name: string, lines: readonly string[], want: readonly string[]][] = [
    ['unknown driver', [NAMELESS, 'driver 535.54.03', ...FIVE], FIVE_WANT],
    ['unknown driver, two processes', [NAMELESS, 'driver 535.54.03', TWO], WANT],
    ['unknown driver, one process', [NAMELESS, 'driver 535.54.03', FIVE[0]!], FIVE_WANT.slice(0, 1)],
    ['unknown driver, memory not known', [NAMELESS, 'driver 535.54.03', ...WSL], WSL_WANT],
    ['unknown driver, protected memory', [NAMELESS, 'driver 535.54.03', ...CONFIDENTIAL], FIVE_WANT],
    ['another driver', ['gpu 0 entry-size 32', ...FIVE], FIVE_WANT],
    ['unknown driver with entries as they should be', [NAMELESS, ...FIVE], FIVE_WANT],
    ['the same, memory not known', [NAMELESS, ...WSL], WSL_WANT],
  ];

  test.each(CASES)('are told by what they say: %s', (_, lines, want) => {
    expect(list(lines.join('\n'), NO_V2)).toEqual(want);
  });

  test.each([
    ['0', '1048576'],
    ['4294967295', '1048576'],
    ['0', '18446744073709551615'],
  ])('a row of nobody (pid %s) is left out, and the rows around it are not misread', (pid, memory) => {
    const script = `process 0 pid 5 memory 7 kind compute\nprocess 0 pid ${pid} memory ${memory} kind compute`;
    expect(list(script)).toEqual(['5 compute 7', 'partial: error']);
    expect(list(`${script}\nprocess 0 pid 6 memory 1073741824 kind compute`)).toEqual([
      '5 compute 7',
      '6 compute 1073741824',
      'partial: error',
    ]);
  });

  test.each([
    ['535.43.02', true],
    ['535.54.03', true],
    ['535.86.10', true],
    ['535.98', true],
    ['535.104.05', false],
    ['535.42', false],
    ['530.54', false],
    ['570.86.10', false],
    [null, false],
  ])('driver %s is one of them: %s', (version, want) => expect(hasProcessTrap(version)).toBe(want));
});

describe.skipIf(!HAS_FAKE_DRIVER)('a list that cannot be read', () => {
  const ALL = [COMPUTE, GRAPHICS, MPS];
  const failing = (code: number, names = ALL): string => names.map((name) => `fail ${name}_v3 ${code}`).join('\n');

  const CASES: readonly [script: string, want: string | readonly string[]][] = [
    [failing(4), 'no-permission'],
    [failing(999), 'error'],
    [failing(16), 'error'],
    [failing(15), 'error'],
    // The header does not know this answer: it says nothing of how many there are.
    [failing(6), 'not-found'],
    [failing(3), 'not-supported'],
    [failing(13), WANT],
    // One of them alone leaves what the others say, and says that it is not all.
    [failing(999, [GRAPHICS]), ['21 compute 77', '22 compute 88', 'partial: error']],
    [failing(4, [GRAPHICS]), ['21 compute 77', '22 compute 88', 'partial: no-permission']],
    [failing(16, [MPS]), [...WANT, 'partial: error']],
    [failing(15, [MPS]), [...WANT, 'partial: error']],
    [failing(999, [COMPUTE]), ['21 graphics 77', 'partial: error']],
    [failing(4, [COMPUTE, MPS]), ['21 graphics 77', 'partial: no-permission']],
    [failing(15, [COMPUTE]), ['21 graphics 77', 'partial: error']],
    // A card may well not tell who computes on it: then the list is not all.
    [failing(3, [COMPUTE]), ['21 graphics 77', 'partial: not-supported']],
    [failing(3, [GRAPHICS, MPS]), ['21 compute 77', '22 compute 88']],
    [`${failing(3, [COMPUTE])}\n${failing(999, [GRAPHICS])}`, 'error'],
    [`${failing(15, [COMPUTE])}\n${failing(3, [GRAPHICS, MPS])}`, 'error'],
    [failing(6, [COMPUTE]), ['21 graphics 77', 'partial: not-found']],
  ];

  test.each(CASES)('%j: %j', (script, want) => {
    expect(list(`${TWO}\n${script}`)).toEqual(want);
  });

  test('where nobody is found and the list of computing processes failed, there is no list', () => {
    expect(list(failing(999, [COMPUTE]))).toBe('error');
    expect(list(failing(15, [COMPUTE]))).toBe('error');
    expect(list(failing(999, [GRAPHICS]))).toEqual(['partial: error']);
  });

  test.each(['200', '70000', '4294967295'])(
    'one that wants room for %s for ever is an error, and the others stay',
    (need) => {
      const cards = openCards(`${TWO}\nprocess 1 pid 3 memory 4 kind compute\ngpu 0 list-need ${need}`, {}, 2);
      expect(answer(cards, 0)).toBe('error');
      expect(answer(cards, 1)).toEqual(['3 compute 4']);
    },
  );

  test('one that says it wrote more than it did shows nobody who is not there', () => {
    const cards = openCards('process 0 pid 3 memory 4 kind compute\nprocesses 1 60\ngpu 0 list-count 50', {}, 2);
    for (let tick = 0; tick < 2; tick++) {
      expect(answer(cards, 1)).toHaveLength(60);
      expect(answer(cards, 0)).toEqual(['3 compute 4', 'partial: error']);
    }
  });

  test('one that answered before is asked again when its turn comes, whatever it says meanwhile', () => {
    const cards = openCards(TWO);
    expect(answer(cards)).toEqual(WANT);
    cards.driver.script(`gpus 1\n${TWO}\n${failing(3)}`);
    expect(answer(cards)).toBe('not-supported');
    cards.driver.script(`gpus 1\n${TWO}`);
    expect(answer(cards)).toBe('not-supported');
    cards.gpus[0]?.wakeQuestions();
    expect(answer(cards)).toEqual(WANT);
  });

  test('one that says it wrote more than there is room for is not believed at all', () => {
    expect(list('process 0 pid 3 memory 4 kind compute\ngpu 0 list-count 4294967295')).toBe('error');
  });

  test('one that rests is asked again when its turn comes', () => {
    const cards = openCards(`${TWO}\n${failing(4)}`);
    expect(answer(cards)).toBe('no-permission');
    cards.driver.script(`gpus 1\n${TWO}`);
    expect(answer(cards)).toBe('no-permission');
    cards.gpu.wakeQuestions();
    expect(answer(cards)).toEqual(WANT);
  });

  test('more than fit into the first buffer are all there', () => {
    const cards = openCards('processes 0 1500\nprocesses 1 70', {}, 2);
    for (let round = 0; round < 2; round++) {
      const first = answer(cards, 0);
      const second = answer(cards, 1);
      expect(first).toHaveLength(1500);
      expect(new Set(first).size).toBe(1500);
      expect(second).toHaveLength(70);
      expect(second[69]).toBe('20069 compute 1048576');
    }
  });

  test('processes that come while they are being counted are waited for', () => {
    expect(list('processes 0 64\ngpu 0 growing 20').length).toBeGreaterThan(84);
  });

  test('a list in which nobody stood is looked at in every second tick; who comes is seen by the next but one', async () => {
    const machine = await startMachine({ script: 'gpus 1\nprocess 0 pid 7 memory 100 kind compute' });
    const graphics = (): number => machine.driver.calls('nvmlDeviceGetGraphicsRunningProcesses_v3');
    for (let second = 0; second < 4; second++) await machine.tick();
    const before = graphics();
    for (let second = 0; second < 10; second++) await machine.tick();
    expect(graphics() - before).toBe(5);
    machine.driver.script('gpus 1\nprocess 0 pid 7 memory 100 kind both\nprocess 0 pid 8 memory 50 kind graphics');
    await machine.tick();
    for (let second = 0; second < 3; second++) {
      const { processes } = await machine.sample();
      const listed = 'absent' in processes ? [] : processes.map(({ pid, kind }) => `${pid} ${kind}`);
      expect(listed).toEqual(['7 compute+graphics', '8 graphics']);
    }
    machine.driver.script('gpus 1\nprocess 0 pid 7 memory 100 kind compute');
    const { processes } = await machine.sample();
    expect(processes).toMatchObject([{ pid: 7, kind: 'compute' }]);
  });
});
