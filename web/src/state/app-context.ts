import { createContext, useContext, useEffect } from 'react';
import { type PageTranslate, pageTranslator } from '../../../src/model/i18n/page-messages.ts';
import type { Lang } from '../../../src/model/i18n/text.ts';
import type { Metrics } from '../session/metric-table.ts';
import type { Session } from '../session/session.ts';
import type { Navigation } from './navigation.ts';
import type { Place } from './place.ts';
import type { Preferences } from './preferences.ts';
import { useStore } from './store.ts';

/** What every view may need; made once in `main.tsx`. */
export interface AppParts {
  readonly session: Session;
  readonly navigation: Navigation;
  readonly preferences: Preferences;
}

export const AppContext = createContext<AppParts | null>(null);

export const LangContext = createContext<Lang>('en');

export function useApp(): AppParts {
  const parts = useContext(AppContext);
  if (parts === null) throw new Error('BUG: a view is used outside of AppContext');
  return parts;
}

export function useSession(): Session {
  return useApp().session;
}

export function usePlace(): Place {
  return useStore(useApp().navigation.place);
}

export function useLang(): Lang {
  return useContext(LangContext);
}

const TRANSLATORS: Readonly<Record<Lang, PageTranslate>> = { en: pageTranslator('en'), zh: pageTranslator('zh') };

/** The message table in the language of the page. */
export function useText(): PageTranslate {
  return TRANSLATORS[useLang()];
}

/** What metrics are called and mean; null until the server has told. */
export function useMetrics(): Metrics | null {
  const { metrics } = useSession();
  useEffect(() => metrics.want(), [metrics]);
  return useStore(metrics.store);
}
