import type { ErrorEntry } from './error-entry.ts';
import type { Text } from './text.ts';

/** What goes wrong between server and client, and the error for everything else. */
export const HTTP_ERRORS = {
  PORT_IN_USE: {
    status: 503,
    exit: 1,
    message: { en: 'port {port} on {host} is in use', zh: '{host} 上的端口 {port} 已被占用' },
    hint: {
      en: 'see who holds it with "ss -ltnp sport = :{port}", or choose another with --listen {host}:PORT',
      zh: '可用 ss -ltnp sport = :{port} 查看占用者，或用 --listen {host}:PORT 换一个端口',
    },
  },
  LISTEN_FAILED: {
    status: 503,
    exit: 1,
    message: { en: 'cannot listen on {host}:{port}: {detail}', zh: '无法监听 {host}:{port}：{detail}' },
    hint: { en: 'choose another address with --listen HOST:PORT', zh: '请用 --listen HOST:PORT 换一个地址' },
  },
  ANONYMOUS_LISTEN: {
    status: 403,
    exit: 2,
    message: {
      en: '{host} can be reached from other machines, and gpulse has no authentication yet',
      zh: '其他机器可以访问 {host}，而 gpulse 目前没有身份验证',
    },
    hint: {
      en: 'listen on 127.0.0.1, or add --allow-anonymous if everybody who can reach it may see it',
      zh: '请监听 127.0.0.1；若允许任何人查看，请加 --allow-anonymous',
    },
  },
  NOT_FOUND: {
    status: 404,
    exit: 1,
    message: { en: 'there is nothing at {path}', zh: '{path} 不存在' },
    hint: { en: 'the API is described at /api/openapi.json', zh: 'API 说明见 /api/openapi.json' },
  },
  BAD_REQUEST: {
    status: 400,
    exit: 2,
    message: { en: 'this is not a valid HTTP request: {detail}', zh: '不是有效的 HTTP 请求：{detail}' },
    hint: {
      en: 'check what sent it, and how the address is percent-encoded',
      zh: '请检查发送请求的程序，以及地址的百分号编码',
    },
  },
  REQUEST_TOO_LARGE: {
    status: 431,
    exit: 2,
    message: {
      en: 'address and headers together are larger than {limit} bytes',
      zh: '地址与请求头合计超过 {limit} 字节',
    },
    hint: { en: 'ask for fewer GPUs or metrics at a time', zh: '请减少单次请求的 GPU 或指标数量' },
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    exit: 1,
    message: {
      en: 'a page of {origin} may not change anything here',
      zh: '不允许来自 {origin} 的页面在此执行操作',
    },
    hint: {
      en: 'use the dashboard itself or the command line; behind a proxy, name its host with --allowed-host',
      zh: '请使用本面板或命令行操作；经由代理访问时，请用 --allowed-host 指定其主机名',
    },
  },
  NOTHING_TO_RELEASE: {
    status: 409,
    exit: 1,
    message: { en: 'no GPU of this machine is being sampled', zh: '当前没有采样本机的 GPU' },
    hint: {
      en: 'only the GPUs of this machine can be released, not those of a recording or a simulation',
      zh: '只能释放本机的 GPU，日志回放和模拟数据无需释放',
    },
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    exit: 2,
    message: { en: 'the API can only be read: {method} is not allowed', zh: 'API 只供读取，不允许 {method}' },
    hint: { en: 'use GET or HEAD', zh: '请使用 GET 或 HEAD' },
  },
  HOST_NOT_ALLOWED: {
    status: 403,
    exit: 2,
    message: { en: 'gpulse does not answer to the host name "{host}"', zh: 'gpulse 不接受主机名“{host}”' },
    hint: {
      en: 'open it as localhost; behind a reverse proxy, name the host with --allowed-host {host}',
      zh: '请用 localhost 访问；若位于反向代理之后，请加 --allowed-host {host}',
    },
  },
  DASHBOARD_NOT_BUILT: {
    status: 503,
    exit: 1,
    message: { en: 'the dashboard has not been built', zh: '尚未构建网页界面' },
    hint: {
      en: 'run "npm run build" in the folder of gpulse and start it again; the API works without it, see /api/openapi.json',
      zh: '请在 gpulse 目录下运行 npm run build 后重新启动；API 不受影响，见 /api/openapi.json',
    },
  },
  BAD_QUERY: {
    status: 400,
    exit: 2,
    message: {
      en: 'the query is not valid: {fault}',
      zh: '查询无效：{fault}',
    },
    hint: {
      en: 'expected: {expected}; the parameters are described at /api/openapi.json',
      zh: '应为：{expected}；参数说明见 /api/openapi.json',
    },
  },
  MISSING_PARAMETER: {
    status: 400,
    exit: 2,
    message: { en: 'the query is not complete: {parameter} is missing', zh: '查询不完整：缺少参数 {parameter}' },
    hint: {
      en: 'expected: {parameter}={expected}; the parameters are described at /api/openapi.json',
      zh: '应为：{parameter}={expected}；参数说明见 /api/openapi.json',
    },
  },
  UNKNOWN_PARAMETER: {
    status: 400,
    exit: 2,
    message: {
      en: 'the query is not valid: there is no parameter "{parameter}" here',
      zh: '查询无效：此处没有名为“{parameter}”的参数',
    },
    hint: {
      en: 'known: {known}; the parameters are described at /api/openapi.json',
      zh: '可用参数：{known}；参数说明见 /api/openapi.json',
    },
  },
  UNKNOWN_METRIC: {
    status: 400,
    exit: 2,
    message: { en: 'there is no metric "{name}"', zh: '没有名为“{name}”的指标' },
    hint: {
      en: '{suggestion}all metrics are listed in docs/metrics.md',
      zh: '{suggestion}全部指标见 docs/metrics.md',
    },
  },
  UNKNOWN_GPU: {
    status: 404,
    exit: 2,
    message: { en: 'there is no GPU "{name}"', zh: '没有名为“{name}”的 GPU' },
    hint: { en: 'give an index or a UUID from /api/v1/gpus', zh: '请使用 /api/v1/gpus 中的序号或 UUID' },
  },
  BUSY: {
    status: 503,
    exit: 1,
    message: { en: 'too many requests are waiting', zh: '等待中的请求过多' },
    hint: { en: 'try again in a moment', zh: '请稍后重试' },
  },
  TOO_MANY_STREAMS: {
    status: 503,
    exit: 1,
    message: { en: 'too many live streams are open ({limit})', zh: '已打开的实时数据流过多（{limit} 个）' },
    hint: {
      en: 'close pages of the dashboard that nobody needs, or ask /api/v1/gpus for the newest readings',
      zh: '请关闭不用的面板页面，或改用 /api/v1/gpus 查询最新数据',
    },
  },
  SERVER_SAYS: {
    status: 503,
    exit: 1,
    message: { en: '{message}', zh: '{message}' },
    hint: { en: '{hint}', zh: '{hint}' },
  },
} as const satisfies Record<string, ErrorEntry>;

/** What is put into the sentences above and has words of its own. */
export const HTTP_WORDS = {
  'query.not-taken': { en: '{parameter} does not take "{given}"', zh: '{parameter} 不接受“{given}”' },
  'query.not-before': { en: 'from={from} is not before to={to}', zh: 'from={from} 不早于 to={to}' },
  'query.span': { en: 'a from that is before to', zh: 'from 早于 to' },
  'suggestion.metric': { en: 'did you mean {nearest}? ', zh: '是否想用 {nearest}？' },
  'request.address': { en: 'its address cannot be decoded', zh: '地址无法解码' },
  'request.method': { en: 'its method is unknown', zh: '请求方法未知' },
  'request.version': { en: 'its version is not HTTP/1.0 or HTTP/1.1', zh: '版本不是 HTTP/1.0 或 HTTP/1.1' },
  'request.headers': { en: 'its headers cannot be read', zh: '请求头无法解析' },
  'request.length': { en: 'the length of its body is not clear', zh: '正文长度不明' },
  'request.late': { en: 'it did not arrive in time', zh: '请求未在时限内到达' },
  'request.no-host': { en: 'it has no Host header', zh: '缺少 Host 请求头' },
  'request.hosts': { en: 'it has more than one Host header', zh: '有多个 Host 请求头' },
  'request.unreadable': { en: 'it cannot be read', zh: '请求无法解析' },
} as const satisfies Record<string, Text>;
