import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { AppError } from '../model/errors.ts';
import type { Lang } from '../model/i18n/text.ts';
import { parseConfig } from './config-file.ts';
import { DEFAULT_NAMING } from './naming.ts';
import { parseReporting } from './reporting-flags.ts';

function failure(text: string, lang: Lang = 'en'): string {
  try {
    parseConfig('g.yaml', text);
  } catch (error) {
    if (error instanceof AppError) return `${error.text(lang)}; ${error.hint(lang)}`;
    throw error;
  }
  throw new Error('it was taken');
}

test('an empty file changes nothing', () => {
  for (const text of ['', '# only a remark\n', 'metrics: {}\npush: {}\n']) {
    expect(parseConfig('g.yaml', text)).toEqual({ naming: DEFAULT_NAMING, sinks: [] });
  }
});

test('the example is valid, and so is everything that it explains', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../gpulse.example.yaml'), 'utf8');
  expect(parseConfig('g.yaml', text)).toEqual({ naming: DEFAULT_NAMING, sinks: [] });
  const active = parseConfig('g.yaml', text.replaceAll(/^(\s*)#: /gm, '$1'));
  expect(active.sinks.map(({ kind }) => kind)).toEqual(['pushgateway', 'influx', 'remote-write', 'otlp']);
  expect(active.history).toMatchObject({
    writeUrl: 'http://127.0.0.1:8428/api/v1/write',
    queueBytes: 1e9,
    host: 'node-1',
  });
});

test('receivers get their addresses, tokens and places', () => {
  const { sinks } = parseConfig(
    'g.yaml',
    `push:
  influx: { url: 'http://db:8086/?org=me&bucket=gpus', token: secret, interval: 30s }
  remote-write: { url: 'https://me:p%40ss@tsdb/api/v1/write', labels: { cluster: a } }`,
  );
  expect(sinks[0]).toMatchObject({
    kind: 'influx',
    target: { org: 'me', bucket: 'gpus' },
    headers: { authorization: 'Token secret' },
    intervalMs: 30_000,
  });
  const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(sinks[1]).toMatchObject({
    url: 'https://tsdb/api/v1/write',
    headers: { authorization },
    labels: { cluster: 'a' },
  });
});

test('what is wrong is said with its place, and a wrong key with the nearest right one', () => {
  const check = (text: string, part: string) => expect(failure(text)).toContain(part);
  check('metrics:\n  profile: [dcgm]\n', 'unknown key metrics.profile, did you mean profiles?');
  check('pushh: {}\n', 'unknown key pushh, did you mean push?');
  check('metrics: { dcgm: { hostlabel: x } }', 'unknown key metrics.dcgm.hostlabel, did you mean host-label?');
  check('push: { influx: { url: "http://x", bukket: 1 } }', 'unknown key push.influx.bukket');
  check('metrics: { profiles: [dgcm] }', 'metrics.profiles.0');
  check('push: { otlp: {} }', 'push.otlp.url');
  check('push: { otlp: { url: "ftp://x" } }', 'push.otlp.url');
  check('push: { otlp: { url: "http://x", interval: soon } }', 'push.otlp.interval');
  check('push: { influx: { url: "http://x:8086" } }', 'push.influx.url');
  check('a: [', 'g.yaml');
  check('- a\n- b\n', 'g.yaml');
});

test.each([
  [
    'metrics: { profiles: dcgm }',
    'metrics.profiles takes a list, such as [a, b], not "dcgm"',
    'metrics.profiles 应为列表（如 [a, b]），而不是“dcgm”',
  ],
  [
    'metrics: { owner-labels: yes }',
    'metrics.owner-labels takes true or false, not "yes"',
    'metrics.owner-labels 应为 true 或 false，而不是“yes”',
  ],
  ['metrics: { profiles: [] }', 'metrics.profiles is empty', 'metrics.profiles 不能为空'],
  [
    'metrics: { dcgm: { names: new } }',
    'metrics.dcgm.names takes legacy | renamed | both, not "new"',
    'metrics.dcgm.names 应为 legacy | renamed | both，而不是“new”',
  ],
  [
    'metrics: { profile: [dcgm] }',
    'unknown key metrics.profile, did you mean profiles?',
    '未知的配置项 metrics.profile，是否想用 profiles？',
  ],
  ['{ quite-something-else: 1 }', 'unknown key quite-something-else', '未知的配置项 quite-something-else'],
  ['- a', 'the file takes keys with values, not a list', '文件内容 应为由“键: 值”组成的小节，而不是列表'],
  ['push: { otlp: {} }', 'push.otlp.url is missing', '缺少 push.otlp.url'],
  [
    'push: { otlp: { url: "http://x", queue: 0 } }',
    'push.otlp.queue takes no less than 1',
    'push.otlp.queue 不能小于 1',
  ],
  [
    'push: { otlp: { url: "http://x", queue: 1.5 } }',
    'push.otlp.queue takes a whole number, not 1.5',
    'push.otlp.queue 应为整数，而不是 1.5',
  ],
  [
    'push: { otlp: { url: "http://x", token: 12345 } }',
    'push.otlp.token takes text, not …: write "…"',
    'push.otlp.token 应为文本，而不是 …',
  ],
  [
    'push: { remote-write: { url: "http://x", labels: { rack: 5 } } }',
    'push.remote-write.labels.rack takes text, not 5: write "5"',
    'push.remote-write.labels.rack 应为文本，而不是 5：请写成 "5"',
  ],
  [
    'history: { url: "http://x" }',
    'it takes prometheus, since history.url is given',
    '应为：prometheus，因为已给出 history.url',
  ],
  [
    'metrics: {}\n---\npush: {}\n',
    'line 2: a second YAML document begins here; keep one document, without --- between keys',
    '第 2 行：此处开始第二个 YAML 文档',
  ],
  ['metrics: *x', 'Unresolved alias', '别名（*）无法解析'],
  ['%YAML 9\n---\nmetrics: {}', 'line 1, column 7: Unsupported YAML version', '第 1 行第 7 列：指令（%）无效'],
  [
    'push: { influx: { url: "http://me:secret@x:8086" } }',
    'the configuration in g.yaml is wrong: push.influx.url does not take "http://…@x:8086"; it takes http://HOST',
    '配置文件 g.yaml 有误：push.influx.url 不接受“http://…@x:8086”；应为：http://HOST',
  ],
  [
    'push: { pushgateway: { url: "http://x/metrics/job/a" } }',
    'the configuration in g.yaml is wrong: push.pushgateway.url does not take',
    '配置文件 g.yaml 有误：push.pushgateway.url 不接受',
  ],
  [
    'push: { otlp: { url: "http://x", interval: soon } }',
    'the configuration in g.yaml is wrong: push.otlp.interval does not take "soon"; it takes 100ms … 1h',
    '配置文件 g.yaml 有误：push.otlp.interval 不接受“soon”；应为：100ms … 1h',
  ],
  [
    'history: { engine: prometheus, url: "ftp://x" }',
    'the configuration in g.yaml is wrong: history.writeUrl does not take "ftp://x/',
    '配置文件 g.yaml 有误：history.writeUrl 不接受',
  ],
  [
    'push: { otlp: { url: "http://x", token-file: /does/not/exist } }',
    'the configuration in g.yaml is wrong: push.otlp.token-file does not take "/does/not/exist"; it takes a file that can be read: ENOENT',
    '配置文件 g.yaml 有误：push.otlp.token-file 不接受“/does/not/exist”；应为：可读取的文件：没有该文件或目录',
  ],
  ['metrics: {', 'line 1, column 11: ', '第 1 行第 11 列：'],
  ['metrics: {}\nmetrics: {}', 'line 2, column 1: Map keys must be unique', '第 2 行第 1 列：键重复'],
  ['push:\n\totlp: {}', 'line 2, column 1: Tabs are not allowed as indentation', '第 2 行第 1 列：不能用制表符缩进'],
])('%s is wrong in either language', (text, en, zh) => {
  expect(failure(text)).toContain(en);
  const chinese = failure(text, 'zh');
  expect(chinese).toContain(zh);
  expect(chinese).not.toMatch(/[a-z]+ (?:is|not|takes|expected|received) /i);
});

test('a plain number is seconds, as for the flag', () => {
  const { sinks } = parseConfig('g.yaml', 'push: { otlp: { url: "http://x", interval: 5 } }');
  expect(sinks[0]?.intervalMs).toBe(5000);
  expect(failure('push: { otlp: { url: "http://x", interval: 0.01 } }')).toContain(
    'push.otlp.interval does not take "0.01"',
  );
  expect(failure('push: { otlp: { url: "http://x", interval: [] } }')).toContain(
    'push.otlp.interval takes text, not a list',
  );
});

test('what no HTTP header can carry is refused, for it would lose every batch', () => {
  const check = (header: string, part: string) => {
    for (const place of ['influx', 'otlp', 'remote-write', 'pushgateway']) {
      const text = `push: { ${place}: { url: "http://x?db=a", headers: { ${header} } } }`;
      expect(failure(text)).toContain(`push.${place}.headers.${part}`);
    }
    expect(failure(`history: { headers: { ${header} } }`)).toContain(`history.headers.${part}`);
  };
  check('"X Y": a', 'X Y is no name that an HTTP header can have');
  check('"": a', ' is no name');
  check('"X:Y": a', 'X:Y is no name');
  check('X-租户: a', 'X-租户 is no name');
  check('X-Tenant: 实验室', 'X-Tenant cannot be sent in an HTTP header');
  check('X-Tenant: "a\\nX-Other: b"', 'X-Tenant cannot be sent');
  check('Transfer-Encoding: chunked', 'Transfer-Encoding: gpulse and the connection set');
  check('Content-Type: text/plain', 'Content-Type: gpulse');
  expect(failure('push: { otlp: { url: "http://x", token: 令牌 } }')).toContain('push.otlp.token cannot be sent');
  const folder = mkdtempSync(join(tmpdir(), 'gpulse-config-'));
  writeFileSync(join(folder, 'token'), 'one\ntwo\n');
  expect(failure(`push: { otlp: { url: "http://x", token-file: ${folder}/token } }`)).toContain('push.otlp.token-file');
  rmSync(folder, { recursive: true });
  // What is taken can be sent.
  const [sink] = parseConfig(
    'g.yaml',
    'push: { otlp: { url: "http://x", headers: { X-Tenant: "é \\t!", A_b.c: "" } } }',
  ).sinks;
  expect([...new Headers(sink?.headers)]).toEqual([
    ['a_b.c', ''],
    ['x-tenant', 'é \t!'],
  ]);
});

test('a header that is given goes before the one gpulse would set, whatever its case', () => {
  const text = 'push: { otlp: { url: "http://me:p@x", token: t, headers: { Authorization: Mine } } }';
  expect(new Headers(parseConfig('g.yaml', text).sinks[0]?.headers).get('authorization')).toBe('Mine');
});

test('labels that no receiver takes are refused', () => {
  const check = (name: string) =>
    expect(failure(`push: { remote-write: { url: "http://x", labels: { ${name}: a } } }`)).toContain(
      `push.remote-write.labels.${name}: the name of a label`,
    );
  for (const name of ['a-b', '中文', '__name__', '__address__', '1st']) check(name);
  const labels = { cluster: 'a', job: 'b', instance: 'c', _x: 'd' };
  const text = `push: { remote-write: { url: "http://x", labels: ${JSON.stringify(labels)} } }`;
  expect(parseConfig('g.yaml', text).sinks[0]).toMatchObject({ labels });
});

test('a Pushgateway is named without the group, which has to have names', () => {
  const check = (facts: string, part: string) => expect(failure(`push: { pushgateway: { ${facts} } }`)).toContain(part);
  check('url: "http://x:9091/metrics/job/a/instance/b"', 'push.pushgateway.url does not take');
  check('url: "http://x:9091/metrics/job@base64/YQ"', 'push.pushgateway.url does not take');
  check('url: "http://x", instance: ""', 'push.pushgateway.instance is empty');
  check('url: "http://x", job: ""', 'push.pushgateway.job is empty');
  expect(() => parseReporting({ pushGateway: 'http://me:secret@x:9091/metrics/job/a' })).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', params: expect.objectContaining({ option: '--push-gateway' }) }),
  );
  const [sink] = parseConfig('g.yaml', 'push: { pushgateway: { url: "http://x:9091/metrics/jobs/" } }').sinks;
  expect(sink?.url).toBe('http://x:9091/metrics/jobs/');
});
