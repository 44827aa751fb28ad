import type { Lang, Text } from './text.ts';

/** What the system says when it refuses something, by its code: errno(3), and what Node adds for names and TLS. */
const WORDS: Readonly<Record<string, Text>> = {
  ENOENT: { en: 'no such file or directory', zh: '没有该文件或目录' },
  EACCES: { en: 'permission denied', zh: '权限不足' },
  EPERM: { en: 'operation not permitted', zh: '操作不被允许' },
  EISDIR: { en: 'illegal operation on a directory', zh: '这是一个目录' },
  ENOTDIR: { en: 'not a directory', zh: '路径中有一段不是目录' },
  EEXIST: { en: 'file already exists', zh: '文件已存在' },
  ENOTEMPTY: { en: 'directory not empty', zh: '目录非空' },
  EROFS: { en: 'read-only file system', zh: '文件系统只读' },
  ENOSPC: { en: 'no space left on device', zh: '磁盘空间不足' },
  EDQUOT: { en: 'disk quota exceeded', zh: '超出磁盘配额' },
  EMFILE: { en: 'too many open files', zh: '打开的文件过多' },
  ENFILE: { en: 'file table overflow', zh: '系统打开的文件过多' },
  ENAMETOOLONG: { en: 'name too long', zh: '名称过长' },
  ELOOP: { en: 'too many symbolic links encountered', zh: '符号链接层数过多' },
  EIO: { en: 'i/o error', zh: '输入输出错误' },
  EBUSY: { en: 'resource busy or locked', zh: '资源正忙' },
  EFBIG: { en: 'file too large', zh: '文件过大' },
  ENODEV: { en: 'no such device', zh: '没有该设备' },
  ENXIO: { en: 'no such device or address', zh: '没有该设备或地址' },
  EPIPE: { en: 'broken pipe', zh: '管道已断开' },
  EINVAL: { en: 'invalid argument', zh: '参数无效' },
  EADDRINUSE: { en: 'address already in use', zh: '地址已被占用' },
  EADDRNOTAVAIL: { en: 'address not available', zh: '本机没有该地址' },
  ECONNREFUSED: { en: 'connection refused', zh: '连接被拒绝' },
  ECONNRESET: { en: 'connection reset by peer', zh: '连接被对方重置' },
  EHOSTUNREACH: { en: 'host is unreachable', zh: '主机不可达' },
  ENETUNREACH: { en: 'network is unreachable', zh: '网络不可达' },
  ETIMEDOUT: { en: 'no answer in time', zh: '等待应答超时' },
  ENOTFOUND: { en: 'the name is not known', zh: '无法解析主机名' },
  EAI_AGAIN: { en: 'the name cannot be looked up now', zh: '暂时无法解析主机名' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { en: 'its certificate is self-signed', zh: '对方使用自签名证书' },
  SELF_SIGNED_CERT_IN_CHAIN: { en: 'a certificate of its chain is self-signed', zh: '证书链中有自签名证书' },
  CERT_HAS_EXPIRED: { en: 'its certificate has expired', zh: '对方证书已过期' },
  UND_ERR_CONNECT_TIMEOUT: { en: 'no answer in time', zh: '等待应答超时' },
  HPE_INVALID_CONSTANT: { en: 'what answers does not speak HTTP', zh: '对方不是 HTTP 服务' },
};

/** The words for a code of the system; null for one that is not known. */
export function errnoText(code: string, lang: Lang): string | null {
  return WORDS[code]?.[lang] ?? null;
}

/** Node's form of such a message: `ENOENT: no such file or directory, open '/a'`. */
const NODE_FORM = /\b(E[A-Z]{2,}): [^,:;'"]+(?:, \w+(?: '[^']*'(?: -> '[^']*')?)?)?/g;

/** Where only the code was kept. */
const BARE_CODE = /\b(?:E[A-Z]{3,}|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)\b/g;

/**
 * A text with what the system said in it put into the language of its reader. Programs and libraries say it in English; the
 * English reader gets it as it came.
 */
export function wordedDetail(text: string, lang: Lang): string {
  if (lang === 'en') return text;
  const worded = text
    .replaceAll(NODE_FORM, (whole, code: string) => errnoText(code, lang) ?? whole)
    .replaceAll(BARE_CODE, (code) => errnoText(code, lang) ?? code);
  return Object.values(WORDS).reduce((done, { en, zh }) => {
    const at = done.toLowerCase().indexOf(en);
    return at < 0 || en.length < 10 ? done : done.slice(0, at) + zh + done.slice(at + en.length);
  }, worded);
}
