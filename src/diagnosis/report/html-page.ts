import type { Lang } from '../../model/i18n/text.ts';
import { escapeHtml } from './escape.ts';
import { REPORT_STYLE } from './html-style.ts';

/** A page that stands alone: it loads nothing, and its policy forbids every script. `body` is HTML already. */
export function page(title: string, lang: Lang, body: readonly string[]): string {
  const language = lang === 'zh' ? 'zh-Hans' : 'en';
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title><style>${REPORT_STYLE}</style></head>
<body>${body.join('\n')}</body></html>
`;
}
