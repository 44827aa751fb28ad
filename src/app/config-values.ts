import * as z from 'zod';
import type { ConfigWord } from './bad-option.ts';

/** What is wrong with a value that is of the right type, for `issueText`. */
function because(word: ConfigWord) {
  return { params: { word } };
}

/** A text that people may also write as a number, such as the seconds of `interval: 5`. */
export function written(usual: string) {
  return z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string()).default(usual);
}

/** RFC 9110, token. */
const HEADER_NAME = /^[!#$%&'*+.^`|~\w-]+$/;
/** What goes over the wire in one byte for each character; what ends a line would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Those that tell of the body or of the connection, in lower case. */
const OWN_HEADERS: readonly string[] = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-prometheus-remote-write-version',
];

/** True for what an HTTP header can carry. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}

const headerValue = z.string().refine(isHeaderValue, because('config.header-value'));
const headerName = z
  .string()
  .refine((name) => HEADER_NAME.test(name), because('config.header-name'))
  .refine((name) => !OWN_HEADERS.includes(name.toLowerCase()), because('config.own-header'));

/** More HTTP headers: only such as can be sent. */
export const HEADERS = z.record(headerName, headerValue).default({});

/** A token, which goes into a header. */
export const TOKEN = headerValue.optional();

/** Labels for every series; `own` are names that those have already. Names that begin with `__` belong to the engine. */
export function labelsBeside(own: readonly string[]) {
  const name = z
    .string()
    .refine((text) => /^(?!__)[a-zA-Z_]\w*$/.test(text), because('config.label-name'))
    .refine((text) => !own.includes(text), because('config.own-label'));
  return z.record(name, z.string()).default({});
}
