import { useState } from 'react';
import { useText } from '../state/app-context.ts';

/** A command with a button that copies it. Where the clipboard is closed to the page, the text can be selected. */
export function CopyCommand({ command }: { command: string }) {
  const t = useText();
  const [copied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard?.writeText(command).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div className="command">
      <code>{command}</code>
      {navigator.clipboard !== undefined && (
        <button type="button" onClick={copy}>
          {copied ? t('web.copied') : t('web.copy')}
        </button>
      )}
    </div>
  );
}
