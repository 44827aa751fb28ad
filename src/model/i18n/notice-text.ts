import type { Notice } from '../ports.ts';
import { NOTICE_MESSAGES } from './messages-notices.ts';
import { fill, type Lang } from './text.ts';

/** The sentence for a remark of a source. */
export function noticeText({ key, params }: Notice, lang: Lang): string {
  return fill(NOTICE_MESSAGES[key][lang], params);
}
