import type { Device } from '../model/device.ts';
import { duration, quantityText, threeFigures, timeOfDay } from '../model/format.ts';
import { EVIDENCE_MESSAGES } from '../model/i18n/messages-evidence.ts';
import { PERFORMANCE_EVIDENCE_MESSAGES } from '../model/i18n/messages-evidence-performance.ts';
import { fill, type Text } from '../model/i18n/text.ts';
import type { Unit } from '../model/metrics/entry.ts';
import type { Millis } from '../model/reading.ts';

const SENTENCES = { ...EVIDENCE_MESSAGES, ...PERFORMANCE_EVIDENCE_MESSAGES } as const;

export type SentenceKey = keyof typeof SENTENCES;

type NamesIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parameters of a sentence: each a text, or what reads the same in every language. */
export type SentenceParams<Key extends SentenceKey> = Readonly<
  Record<NamesIn<(typeof SENTENCES)[Key]['en']>, string | number | Text>
>;

/** A sentence in every language. */
export function say<Key extends SentenceKey>(key: Key, params: SentenceParams<Key>): Text {
  const given: readonly [string, string | number | Text][] = Object.entries(params);
  const inLanguage = (lang: keyof Text): string => {
    const chosen = given.map(([name, value]) => [name, typeof value === 'object' ? value[lang] : value]);
    return fill(SENTENCES[key][lang], Object.fromEntries(chosen));
  };
  return { en: inLanguage('en'), zh: inLanguage('zh') };
}

/** A quantity in base units, in words. */
export function amount(value: number, unit: Unit): string {
  return quantityText(value, unit, 'en');
}

export function percent(ratio: number): string {
  return `${threeFigures(Math.round(ratio * 1000) / 10)}%`;
}

/** A time in seconds, in words. */
export function spanOf(seconds: number): Text {
  const ms = seconds * 1000;
  return { en: duration(ms, 'en'), zh: duration(ms, 'zh') };
}

export function clockTime(at: Millis): string {
  return timeOfDay(at);
}

export function gpuName({ index }: Device): string {
  return `GPU ${index}`;
}

/** `GPU 0, 2, 3`, or how many there are of more than four. */
export function gpuNames(devices: readonly Device[]): Text {
  const indexes = devices.map(({ index }) => index);
  if (indexes.length > 4) return { en: `${indexes.length} GPUs`, zh: `${indexes.length} 个 GPU` };
  return { en: `GPU ${indexes.join(', ')}`, zh: `GPU ${indexes.join('、')}` };
}

export function figure(value: number): string {
  return threeFigures(value);
}
