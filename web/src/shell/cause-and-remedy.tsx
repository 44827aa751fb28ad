import { useText } from '../state/app-context.ts';

interface CauseAndRemedyProps {
  readonly failure: { readonly code: string; readonly message: string; readonly hint: string };
}

/** Why something is not as it should be, what to do about it, and the code to look it up by. */
export function CauseAndRemedy({ failure: { code, message, hint } }: CauseAndRemedyProps) {
  const t = useText();
  return (
    <dl className="cause">
      <dt>{t('web.failure.why')}</dt>
      <dd>
        {message} <code className="quiet">{code}</code>
      </dd>
      {hint !== '' && (
        <>
          <dt>{t('web.failure.remedy')}</dt>
          <dd>{hint}</dd>
        </>
      )}
    </dl>
  );
}
