import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { Session } from './session/session.ts';
import { AppContext, type AppParts } from './state/app-context.ts';
import { Navigation } from './state/navigation.ts';
import { Preferences } from './state/preferences.ts';
import './style/tokens.css';
import './style/page.css';
import './style/panels.css';
import './style/overview.css';
import './style/gpu-rows.css';
import './style/chips.css';
import './style/heat-grid.css';
import './style/gpu-page.css';
import './style/findings.css';
import './style/parts.css';

/** Data flow only while someone can see them. */
function runWhileVisible(session: Session): void {
  const follow = () => (document.hidden ? session.stop() : session.start());
  document.addEventListener('visibilitychange', follow);
  window.addEventListener('online', () => session.retry());
  follow();
}

function start(): void {
  const preferences = new Preferences();
  const navigation = new Navigation();
  const lang = navigation.place.get().lang ?? preferences.lang();
  const session = new Session(new URL('.', document.baseURI).href, lang);
  const parts: AppParts = { session, navigation, preferences };
  runWhileVisible(session);
  const root = document.getElementById('root');
  if (root === null) throw new Error('BUG: index.html has no #root');
  createRoot(root).render(
    <AppContext value={parts}>
      <App />
    </AppContext>,
  );
}

start();
