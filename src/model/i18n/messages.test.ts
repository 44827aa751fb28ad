import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../clock-events.ts';
import { CONFIG_WORDS } from './config-words.ts';
import { ERRORS } from './errors.ts';
import { HTTP_WORDS } from './errors-http.ts';
import { eventText } from './event-text.ts';
import { MESSAGES, translator } from './messages.ts';
import { fill, languageOf, type Text } from './text.ts';

const TEXTS: readonly (readonly [string, Text])[] = [
  ...Object.entries(MESSAGES),
  ...Object.entries(HTTP_WORDS),
  ...Object.entries(CONFIG_WORDS),
  ...Object.entries(ERRORS).flatMap(([code, { message, hint }]): [string, Text][] => [
    [`${code} message`, message],
    [`${code} hint`, hint],
  ]),
  ...CATALOGUE.flatMap(({ id, label, help }): [string, Text][] => [
    [`${id} label`, label],
    [`${id} help`, help],
  ]),
  ...CATALOGUE.flatMap(({ id, states = [] }) =>
    states.map(({ value, word }): [string, Text] => [`${id} ${value}`, word]),
  ),
  ...CLOCK_EVENT_REASONS.map(({ id, word }): [string, Text] => [id, word]),
];

function params(template: string): string[] {
  return [...new Set([...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))].sort();
}

/** Keys of the texts for which `isFault` holds. */
function faults(isFault: (text: Text) => boolean): string[] {
  return TEXTS.filter(([, text]) => isFault(text)).map(([key]) => key);
}

describe('every text in the message, error and metric tables', () => {
  test('has the same parameters in both languages', () => {
    expect(faults((text) => params(text.zh).join() !== params(text.en).join())).toEqual([]);
  });

  test('is written in both languages', () => {
    expect(faults((text) => text.en.trim() === '' || text.zh.trim() === '')).toEqual([]);
  });

  test('keeps Chinese punctuation: no space before %, no ASCII comma between Chinese characters', () => {
    expect(faults((text) => /\d\s+%|[\u4e00-\u9fff],[\u4e00-\u9fff]/.test(text.zh))).toEqual([]);
  });
});

test('fill puts parameters in and shows a missing one', () => {
  expect(fill('{a} and {b}', { a: 1 })).toBe('1 and {b}');
});

test('languageOf reads locales and browser tags', () => {
  const check = (tag: string | undefined, want: string) => expect(languageOf(tag)).toBe(want);
  check('zh_CN.UTF-8', 'zh');
  check('zh-Hans', 'zh');
  check('zh', 'zh');
  check('en_US.UTF-8', 'en');
  check('C', 'en');
  check(undefined, 'en');
});

test('a translator chooses the language and fills in', () => {
  expect(translator('zh')('state.lost')).toBe('掉卡');
  expect(translator('en')('time.ago', { span: '3 min' })).toBe('3 min ago');
});

test('eventText spells out a bit set of reasons', () => {
  const event = { kind: 'throttle-began', params: { index: 3, reasons: 0x48 } } as const;
  expect(eventText(event, 'en')).toBe('GPU 3 is throttled: hw slowdown, hw thermal');
  expect(eventText(event, 'zh')).toBe('GPU 3 开始降频：硬件降频、硬件过热降频');
});
