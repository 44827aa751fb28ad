import { useEffect, useRef } from 'react';
import type { PageMessageKey } from '../../../src/model/i18n/page-messages.ts';
import { useText } from '../state/app-context.ts';

const KEYS = [
  ['/', 'web.help.filter'],
  ['g o', 'web.help.overview'],
  ['g f', 'web.help.findings'],
  ['← →', 'web.help.gpus'],
  ['[ ]', 'web.help.range'],
  ['?', 'web.help.help'],
  ['Esc', 'web.help.close'],
] as const satisfies readonly (readonly [string, PageMessageKey])[];

const POINTER = ['web.help.drag', 'web.help.double', 'web.help.wheel'] as const satisfies readonly PageMessageKey[];

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="help" onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">{t('web.help')}</h2>
      <dl>
        {KEYS.map(([keys, key]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{t(key)}</dd>
          </div>
        ))}
      </dl>
      <h3>{t('web.help.charts')}</h3>
      <ul>
        {POINTER.map((key) => (
          <li key={key}>{t(key)}</li>
        ))}
      </ul>
      <form method="dialog">
        <button type="submit">{t('web.help.close')}</button>
      </form>
    </dialog>
  );
}
