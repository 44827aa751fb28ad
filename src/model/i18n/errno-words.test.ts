import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AppError } from '../errors.ts';
import { errnoText, wordedDetail } from './errno-words.ts';

test('what the system says is put into the language of its reader', () => {
  const check = (text: string, want: string) => expect(wordedDetail(text, 'zh'), text).toBe(want);
  check("ENOENT: no such file or directory, open '/a b'", '没有该文件或目录');
  check("EACCES: permission denied, rename '/a' -> '/b'", '权限不足');
  check('/data: ENOSPC: no space left on device, write', '/data: 磁盘空间不足');
  check('ssh: connect to host a port 22: Connection refused', 'ssh: connect to host a port 22: 连接被拒绝');
  check('http://a:9091: ECONNREFUSED', 'http://a:9091: 连接被拒绝');
  check('EWHATEVER: something new', 'EWHATEVER: something new');
  check('line 7: "used" is no number', 'line 7: "used" is no number');
  expect(wordedDetail("ENOENT: no such file or directory, open '/a'", 'en')).toContain('ENOENT');
});

test('every code has its words in both languages', () => {
  expect([errnoText('ECONNREFUSED', 'en'), errnoText('ECONNREFUSED', 'zh')]).toEqual([
    'connection refused',
    '连接被拒绝',
  ]);
  expect(errnoText('EWHATEVER', 'zh')).toBeNull();
});

test('an error that carries what the system said is Chinese to a Chinese reader', () => {
  let detail = '';
  try {
    readFileSync('/does/not/exist');
  } catch (error) {
    detail = String((error as Error).message);
  }
  const error = new AppError('OUTPUT_FAILED', { detail });
  expect(error.text('en')).toContain('no such file or directory');
  expect(error.text('zh')).toContain('没有该文件或目录');
  expect(error.text('zh')).not.toContain('no such file');
});
