import { CLI_MESSAGES } from './messages-cli.ts';
import { DIAGNOSIS_MESSAGES } from './messages-diagnosis.ts';
import { DOCTOR_MESSAGES } from './messages-doctor.ts';
import { EVENT_MESSAGES } from './messages-events.ts';
import { EVIDENCE_MESSAGES } from './messages-evidence.ts';
import { PERFORMANCE_EVIDENCE_MESSAGES } from './messages-evidence-performance.ts';
import { EXPORT_MESSAGES } from './messages-export.ts';
import { FINDINGS_PAGE_MESSAGES } from './messages-findings-page.ts';
import { FIX_MESSAGES } from './messages-fixes.ts';
import { GPU_PAGE_MESSAGES } from './messages-gpu-page.ts';
import { HISTORY_MESSAGES } from './messages-history.ts';
import { HOST_MESSAGES } from './messages-host.ts';
import { LOG_MESSAGES } from './messages-log.ts';
import { NOTICE_MESSAGES } from './messages-notices.ts';
import { OWNER_MESSAGES } from './messages-owners.ts';
import { RUN_MESSAGES, TRAINING_MESSAGES, WAIT_MESSAGES } from './messages-runs.ts';
import { SHELL_MESSAGES } from './messages-shell.ts';
import { SMI_MESSAGES } from './messages-smi.ts';
import { STAT_MESSAGES } from './messages-stat.ts';
import { TOP_MESSAGES } from './messages-top.ts';
import { WEB_MESSAGES } from './messages-web.ts';
import { WORD_MESSAGES } from './messages-words.ts';
import type { Lang, Text } from './text.ts';
import { type TranslateOf, translatorOf } from './translator.ts';

/** Every sentence a person reads, apart from errors, which carry codes and stand in `errors.ts`. */
export const MESSAGES = {
  ...WORD_MESSAGES,
  ...EVENT_MESSAGES,
  ...NOTICE_MESSAGES,
  ...LOG_MESSAGES,
  ...CLI_MESSAGES,
  ...DOCTOR_MESSAGES,
  ...EXPORT_MESSAGES,
  ...HISTORY_MESSAGES,
  ...OWNER_MESSAGES,
  ...SHELL_MESSAGES,
  ...SMI_MESSAGES,
  ...TOP_MESSAGES,
  ...STAT_MESSAGES,
  ...WEB_MESSAGES,
  ...HOST_MESSAGES,
  ...GPU_PAGE_MESSAGES,
  ...FINDINGS_PAGE_MESSAGES,
  ...DIAGNOSIS_MESSAGES,
  ...EVIDENCE_MESSAGES,
  ...PERFORMANCE_EVIDENCE_MESSAGES,
  ...FIX_MESSAGES,
  ...RUN_MESSAGES,
  ...WAIT_MESSAGES,
  ...TRAINING_MESSAGES,
} as const satisfies Record<string, Text>;

export type MessageKey = keyof typeof MESSAGES;

/** {@link TranslateOf} every message, as commands use it. */
export type Translate = TranslateOf<typeof MESSAGES>;

export function translator(lang: Lang): Translate {
  return translatorOf(MESSAGES, lang);
}
