import type { ErrorEntry } from './error-entry.ts';

/** Failures that a client of the API finds itself; the dashboard carries these and no others. */
export const CLIENT_ERRORS = {
  SERVER_UNREACHABLE: {
    status: 503,
    exit: 1,
    message: { en: 'gpulse does not answer: {detail}', zh: 'gpulse 没有响应：{detail}' },
    hint: {
      en: 'see whether "gpulse serve" is still running, and whether the network or proxy in between works',
      zh: '请检查 gpulse serve 是否仍在运行，以及中间的网络或代理是否正常',
    },
  },
  SERVER_ANSWER: {
    status: 503,
    exit: 1,
    message: { en: 'the answer did not come from gpulse: {detail}', zh: '收到的不是 gpulse 的应答：{detail}' },
    hint: {
      en: 'see what answers at this address; a proxy in between must pass /api/ through unchanged',
      zh: '请检查该地址上的服务；中间的代理必须原样转发 /api/',
    },
  },
  STREAM_SILENT: {
    status: 503,
    exit: 1,
    message: {
      en: 'the live stream has been silent for {seconds} s',
      zh: '实时数据流已 {seconds} 秒没有任何消息',
    },
    hint: {
      en: 'gpulse connects again by itself; if this repeats, a proxy in between may be buffering /api/v1/stream',
      zh: '会自动重新连接；若反复出现，可能是中间的代理缓冲了 /api/v1/stream',
    },
  },
  STREAM_ENDED: {
    status: 503,
    exit: 1,
    message: { en: 'gpulse closed the live stream', zh: 'gpulse 关闭了实时数据流' },
    hint: {
      en: 'it was stopped or restarted; see whether "gpulse serve" is still running',
      zh: '服务可能已停止或重启，请检查 gpulse serve 是否仍在运行',
    },
  },
  INTERNAL: {
    status: 500,
    exit: 1,
    message: { en: 'something went wrong inside gpulse: {detail}', zh: 'gpulse 内部出错：{detail}' },
    hint: { en: 'this is a bug; please report it with the log', zh: '这是程序缺陷，请附日志反馈' },
  },
} as const satisfies Record<string, ErrorEntry>;
