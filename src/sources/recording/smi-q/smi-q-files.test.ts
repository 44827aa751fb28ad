import { describe, expect, test } from 'vitest';
import { decode, readingsOf, shapeOf } from '../decode-text.ts';
import { LogDecoder } from '../log-decoder.ts';
import { ZoneClock } from '../time-zone.ts';
import { output } from './output-text.ts';

const MIB = 2 ** 20;

function processes(log: string, tick = 0, device = 0) {
  const found = decode(log).ticks[tick]?.devices[device]?.processes;
  return found === undefined || 'absent' in found
    ? found
    : found.map(({ pid, kind, name, memoryBytes }) => [pid, kind, name, memoryBytes]);
}

describe('several outputs in a file', () => {
  const card = (watts: number, more = '') => `    Power Readings
        Power Draw                        : ${watts}.00 W
    Processes
        Process ID                        : ${watts}
            Type                          : C
            Name                          : python
            Used GPU Memory               : ${watts} MiB
${more}`;
  const at = (second: number) => ({ time: `Thu Aug 25 20:30:${second} 2022` });

  test('each is a tick', () => {
    const log = [10, 20, 30].map((second) => output(card(second), at(second))).join('\n');
    const decoded = decode(log);
    expect(readingsOf(decoded, 'power_watts')).toEqual([10, 20, 30]);
    expect(decoded.ticks.map(({ at }) => new Date(at).getUTCSeconds())).toEqual([10, 20, 30]);
    expect([0, 1, 2].map((tick) => processes(log, tick))).toEqual(
      [10, 20, 30].map((pid) => [[pid, 'compute', 'python', pid * MIB]]),
    );
  });

  test.each([
    ['line ends of Windows', (log: string) => log.replaceAll('\n', '\r\n')],
    ['indented as a whole', (log: string) => log.replaceAll(/^(?=.)/gm, '    ')],
    ['other lines between', (log: string) => log.replaceAll('\n', '\nepoch 1 | loss 0.5\n')],
    ['no time at all', (log: string) => log.replaceAll(/^Timestamp.*\n/gm, '')],
    ['no blank lines', (log: string) => log.replaceAll(/\n{2,}/g, '\n')],
  ])('%s', (_name, change) => {
    const decoded = decode(change([10, 20].map((second) => output(card(second), at(second))).join('')));
    expect(readingsOf(decoded, 'power_watts')).toEqual([10, 20]);
    expect(decoded.devices.map(({ uuid }) => uuid)).toEqual(['GPU-aaaa0001-0000-4000-8000-000000000001']);
    expect(decoded.ticks.map(({ devices }) => 'absent' in devices[0]!.processes)).toEqual([false, false]);
  });

  test('an output that was cut is followed by a whole one', () => {
    const cut = output(
      `${card(10)}    Clocks Throttle Reasons
        Idle                              : Active
        SW Power C`,
      at(10),
    );
    const decoded = decode(cut + output(card(20), at(20)));
    expect(readingsOf(decoded, 'power_watts')).toEqual([10, 20]);
    expect(readingsOf(decoded, 'clock_event_reasons')).toEqual(['not-collected', 'not-collected']);
    const inProcess = output(card(10), at(10)).replace(/Used GPU Memory.*\n/, 'Used GPU Mem');
    expect(processes(inProcess + output(card(20), at(20)), 0)).toEqual({ absent: 'not-collected' });
  });

  test('the file ends within a list of processes: then the others are not known', () => {
    const two = card(
      10,
      `        Process ID                        : 11
            Type                          : C
            Name                          : python
            Used GPU Memory               : 11 MiB
`,
    );
    const log = output(two, at(10)) + output(two, at(20));
    const last = log.lastIndexOf('        Process ID');
    expect(processes(log.slice(0, last), 0)).toHaveLength(2);
    expect(processes(log.slice(0, last), 1)).toEqual({ absent: 'not-collected' });
    expect(processes(log, 1)).toHaveLength(2);
  });

  test('the only output of a long report is given out before the end of the report', () => {
    const ticks: unknown[] = [];
    const decoder = new LogDecoder({
      anchor: 0,
      zone: new ZoneClock('UTC'),
      columns: null,
      publish: (tick) => ticks.push(tick),
    });
    decoder.push(Buffer.from(output(card(10), at(10)) + 'base64 of something else\n'.repeat(300)));
    decoder.settle();
    expect(decoder.rows).toBe(1);
  });

  test('cards that share a UUID are told apart by their place', () => {
    const uuid = 'GPU-00000000-0000-0000-0000-000000000000';
    const both = (second: number) =>
      output(card(second), { ...at(second), uuid }) +
      output(card(second + 1), { ...at(second), uuid, bus: '00000000:02:00.0' }).replace(/^[\s\S]*?(?=GPU 0)/, '');
    const decoded = decode(both(10) + both(20));
    expect(shapeOf(decoded)).toEqual(Array(2).fill('log-00000000:01:00.0 log-00000000:02:00.0'));
    expect(readingsOf(decoded, 'power_watts')).toEqual([10, 11, 20, 21]);
  });

  test('what another option printed in the same file is counted as skipped', () => {
    const decoded = decode(
      `uname -a\nLinux host-a 5.15\n${output(card(10), at(10))}\n/usr/bin/nvidia-smi --query --unit\n\nHIC Info  : N/A\n`,
    );
    expect(decoded).toMatchObject({ rows: 1, skipped: { 'stray-text': 3 } });
  });

  test('facts of the card', () => {
    const log = output(`    Product Brand                         : Quadro
    Product Architecture                  : Maxwell
    Serial Number                         : 1234567890123
    VBIOS Version                         : 82.07.5A.00.08
    Board ID                              : 0x100
    GPU Part Number                       : 900-2G400-0300-000
    Inforom Version
        Image Version                     : 2010.0500.00.03`);
    expect(decode(log).devices[0]).toMatchObject({
      serial: '1234567890123',
      minor: 0,
      facts: {
        brand: 'Quadro',
        architecture: 'Maxwell',
        vbios: '82.07.5A.00.08',
        'board-id': '0x100',
        'part-number': '900-2G400-0300-000',
        inforom: '2010.0500.00.03',
        'cuda-version': '11.6',
      },
    });
  });
});
