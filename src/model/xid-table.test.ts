import { expect, test } from 'vitest';
import { eventText } from './i18n/event-text.ts';
import type { Text } from './i18n/text.ts';
import { XID_PHRASES } from './i18n/xid-words.ts';
import { XID_ACTIONS } from './xid/actions.ts';
import { XID_CLASSES, XID_IMPACTS } from './xid/entry.ts';
import { recoveryAction, XID_TABLE, xidEntry, xidImpact, xidSeverity } from './xid-table.ts';

const TEXTS: readonly Text[] = [
  ...Object.values(XID_ACTIONS),
  ...Object.values(XID_CLASSES),
  ...Object.values(XID_IMPACTS),
  ...Object.values(XID_PHRASES),
  ...XID_TABLE.map(({ meaning }) => meaning),
];

function params(template: string): string {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).join();
}

test('every text is written in both languages, in Chinese with Chinese punctuation', () => {
  const faults = TEXTS.filter(
    ({ en, zh }) =>
      en.trim() === '' || zh.trim() === '' || params(en) !== params(zh) || /[\u4e00-\u9fff][,;:.?!]|\d\s+%/.test(zh),
  );
  expect(faults).toEqual([]);
});

test('no number is in two entries, and every action is used', () => {
  const numbers = XID_TABLE.flatMap(({ xids }) => xids);
  expect(new Set(numbers).size).toBe(numbers.length);
  const used = new Set<string>([...XID_TABLE.map(({ action }) => action), 'unlisted']);
  expect(Object.keys(XID_ACTIONS).filter((action) => !used.has(action))).toEqual([]);
});

test('the numbers that matter most have the impact that the published catalogue gives them', () => {
  const check = (impact: string, xids: readonly number[]) =>
    expect(xids.filter((xid) => xidEntry(xid).impact !== impact)).toEqual([]);
  check('fatal', [54, 79]);
  check('reset', [46, 48, 62, 64, 74, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158, 167, 169]);
  check('application', [8, 11, 13, 25, 31, 32, 39, 43, 68, 69, 80, 82, 94, 101, 139]);
  check('watch', [44, 78, 92, 121, 151, 157, 159, 161, 166, 168]);
  check('info', [14, 37, 45, 63, 66, 93, 106, 141, 152, 154, 162]);
});

test('a number that is in no table is said to be unknown', () => {
  for (const xid of [0, 15, 174, 999_999]) {
    expect(xidEntry(xid)).toMatchObject({ xids: [xid], impact: 'watch', classes: ['unknown'], action: 'unlisted' });
  }
  expect(eventText({ kind: 'xid', params: { index: 0, xid: 999 } }, 'zh')).toContain('未收录');
});

test('where the message tells how bad it is, it decides', () => {
  const check = (xid: number, message: string, want: string) => expect(xidImpact(xid, message), message).toBe(want);
  check(149, '149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004505c6 0x00000000)', 'reset');
  check(145, '145, RLW_SRC_TRACK Nonfatal XC1 i0 Link -1 (0x1 0x2)', 'info');
  check(145, '145, RLW_SRC_TRACK Non-Fatal XC1', 'info');
  check(145, 'no word', 'watch');
  check(154, 'GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)', 'reset');
  check(154, 'GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)', 'reset');
  check(154, 'GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)', 'info');
  check(154, 'GPU recovery action changed from 0x0 (None) to 0x3 (Drain P2P)', 'watch');
  check(31, 'a program named Fatal', 'application');
  expect(xidSeverity(79, '')).toBe('critical');
  expect(recoveryAction('nothing of the kind')).toBeNull();
});

test('the sentence of an event says what it means and what to do, in both languages', () => {
  const check = (given: Record<string, string | number>, en: unknown, zh: unknown) => {
    expect(eventText({ kind: 'xid', params: given }, 'en')).toEqual(en);
    expect(eventText({ kind: 'xid', params: given }, 'zh')).toEqual(zh);
  };
  check(
    { index: 3, xid: 95, count: 1 },
    'GPU 3: Xid 95, uncontained memory error; the GPU needs a reset. Reset the GPU now: what every program on it computed may be wrong.',
    'GPU 3：Xid 95，显存错误，未能控制在单个程序内；GPU 需要复位。请立即复位 GPU：这块卡上所有程序的结果都可能有误。',
  );
  check(
    { index: 0, xid: 154, raw: 'GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)' },
    expect.stringContaining('the machine needs a reboot'),
    expect.stringContaining('机器需要重启'),
  );
  check(
    { bus: '0000:0A:00.0', xid: 14, count: 9, pid: 7, name: 'python', causedBy: 13 },
    'the GPU at 0000:0A:00.0: Xid 14, artificial error of a test, 9 times, process 7 (python), following Xid 13; for information. Nothing has to be done.',
    '位于 0000:0A:00.0 的 GPU：Xid 14，测试用的人为错误，共 9 次，进程 7（python），由 Xid 13 引起；仅供参考。无需处理。',
  );
  const action = { xid: 154, raw: 'recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)' };
  expect(eventText({ kind: 'xid', params: action }, 'en')).toContain('The driver asks for: GPU Reset Required.');
  expect(eventText({ kind: 'xid', params: { index: 1, code: 79 } }, 'en')).toContain('Xid 79, the GPU has fallen');
});
