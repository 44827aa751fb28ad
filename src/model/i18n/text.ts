export const LANGUAGES = ['en', 'zh'] as const;
export type Lang = (typeof LANGUAGES)[number];

/** One sentence or word in every language. A missing language does not compile. `{name}` marks a parameter. */
export type Text = Readonly<Record<Lang, string>>;

export type Params = Readonly<Record<string, string | number>>;

/** Puts parameters into a template. A parameter that was not given stays visible as `{name}`: a bug one can see. */
export function fill(template: string, params: Params = {}): string {
  // Most have none, and a screen of them is put together every second.
  if (!template.includes('{')) return template;
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    return value === undefined ? whole : String(value);
  });
}

/** The language of a POSIX locale or browser tag such as `zh_CN.UTF-8` or `zh-Hans`; English where unknown. */
export function languageOf(tag: string | undefined): Lang {
  return tag !== undefined && /^zh\b|^zh_/i.test(tag) ? 'zh' : 'en';
}
