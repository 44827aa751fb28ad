import { LANGUAGES, type Lang, languageOf } from '../../../src/model/i18n/text.ts';
import { Store } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const THEME_KEY = 'gpulse.theme';
const LANG_KEY = 'gpulse.lang';

/** What this browser was set to. Storage may be forbidden; then a choice lasts as long as the page. */
export class Preferences {
  readonly theme = new Store<Theme>(THEMES.find((theme) => theme === load(THEME_KEY)) ?? 'system');
  /** Whether the page is dark now, by choice or because the system is. */
  readonly dark = new Store(false);
  readonly #system = window.matchMedia('(prefers-color-scheme: dark)');

  constructor() {
    this.#apply();
    this.#system.addEventListener('change', () => this.#apply());
  }

  setTheme(theme: Theme): void {
    this.theme.set(theme);
    save(THEME_KEY, theme);
    this.#apply();
  }

  /** The language chosen in this browser, else the one the browser prefers. */
  lang(): Lang {
    return LANGUAGES.find((lang) => lang === load(LANG_KEY)) ?? languageOf(navigator.language);
  }

  saveLang(lang: Lang): void {
    save(LANG_KEY, lang);
  }

  #apply(): void {
    const theme = this.theme.get();
    document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
    this.dark.set(theme === 'dark' || (theme === 'system' && this.#system.matches));
  }
}

function load(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function save(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
