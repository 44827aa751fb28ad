import { expect, test } from 'vitest';
import { acceptedLanguage, requestLanguage } from './language.ts';

test('acceptedLanguage takes the preferred of our languages', () => {
  const check = (header: string | undefined, want: string) => expect(acceptedLanguage(header), header).toBe(want);
  check(undefined, 'en');
  check('', 'en');
  check('zh', 'zh');
  check('zh-CN,zh;q=0.9,en;q=0.8', 'zh');
  check('ZH-hans-CN', 'zh');
  check('en-US,en;q=0.9,zh;q=0.8', 'en');
  check('en;q=0.5,zh;q=0.7', 'zh');
  check('en;q=0.5 , zh ; q=0.7', 'zh');
  check('fr,de;q=0.9,zh;q=0.1', 'zh');
  check('fr', 'en');
  check('zh;q=0', 'en');
  check('zh;q=nonsense,en;q=0.1', 'en');
  check('zhuang', 'en');
  check('*', 'en');
  check(',;;,=', 'en');
  check(`${'x,'.repeat(10_000)}zh`, 'en');
});

test('the lang parameter goes before the header', () => {
  const headers = { 'accept-language': 'zh' };
  expect(requestLanguage({ query: { lang: 'en' }, headers })).toBe('en');
  expect(requestLanguage({ query: { lang: 'xx' }, headers })).toBe('zh');
  expect(requestLanguage({ query: undefined, headers })).toBe('zh');
});
