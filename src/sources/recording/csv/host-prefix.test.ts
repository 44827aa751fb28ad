import { describe, expect, test } from 'vitest';
import { decode, readingsOf, shapeOf } from '../decode-text.ts';

const HEADER = 'index, name, utilization.gpu [%]';
const HOSTS = ['node17', 'node18'] as const;

/** Two machines with two GPUs each; the values of a GPU tell it from every other. */
function rowsOf(host: string, place: number, head = ''): string[] {
  return [0, 1].map((gpu) => `${host}: ${head}${gpu}, NVIDIA A30, ${10 * place + gpu} %`);
}

describe('machines that are told by a name in front of every line only', () => {
  test.each([
    ['each with its header', HOSTS.flatMap((host, place) => [`${host}: ${HEADER}`, ...rowsOf(host, place)])],
    ['with one header', [`${HOSTS[0]}: ${HEADER}`, ...HOSTS.flatMap((host, place) => rowsOf(host, place))]],
    ['without header', [1, 2, 3].flatMap(() => HOSTS.flatMap((host, place) => rowsOf(host, place)))],
    [
      'without header, with times',
      [1, 2, 3].flatMap((second) =>
        HOSTS.flatMap((host, place) => rowsOf(host, place, `2026/01/01 08:00:0${second}.000, `)),
      ),
    ],
  ])('%s: their GPUs are not taken for each other', (_, lines) => {
    const log = decode(`${lines.join('\n')}\n`);
    expect(log.devices).toHaveLength(4);
    expect(log.skipped).toEqual({});
    const seen = new Map<string, Set<unknown>>();
    for (const { devices } of log.ticks) {
      for (const { device, readings } of devices) {
        const values = seen.get(device.uuid) ?? new Set();
        seen.set(device.uuid, values.add(readings.get('utilization_ratio')));
      }
    }
    const values = [...seen.values()].map((found) => [...found].filter((value) => typeof value === 'number'));
    expect(values.flat().sort()).toEqual([0, 0.01, 0.1, 0.11]);
    expect(values.every(({ length }) => length === 1)).toBe(true);
  });

  test('one that comes late in a log of another is one of its own', () => {
    const [first, second] = HOSTS;
    const many = Array.from({ length: 500 }, () => `${first}: 0, NVIDIA A30, 5 %`);
    const log = decode(`${[`${first}: ${HEADER}`, ...many, `${second}: 0, NVIDIA A30, 99 %`].join('\n')}\n`);
    expect(log.devices).toHaveLength(2);
    expect(readingsOf(log, 'utilization_ratio').filter((value) => value === 0.99)).toHaveLength(1);
  });
});

test('the name of a GPU, or of a time, is no machine', () => {
  for (const name of ['GPU0', 'card1', 'time']) {
    expect(new Set(shapeOf(decode(`${HEADER}\n${name}: 0, NVIDIA A30, 5 %\n0, NVIDIA A30, 6 %\n`))).size).toBe(1);
  }
});
