import { Component, type ReactNode } from 'react';
import { localFailure } from '../../../src/client/failure.ts';
import { detailOf } from '../../../src/model/errors.ts';
import { useLang, useText } from '../state/app-context.ts';
import { FailurePanel } from './failure-panel.tsx';

/** Keeps the frame of the page when a view fails: by a fault in it, or because its part of the script is gone. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : <ViewFailure error={this.state.error} />;
  }
}

function ViewFailure({ error }: { error: unknown }) {
  const t = useText();
  const failure = localFailure('INTERNAL', { detail: detailOf(error) }, useLang());
  return (
    <FailurePanel title={t('web.failure.page')} failure={failure}>
      <button type="button" onClick={() => window.location.reload()}>
        {t('web.failure.reload')}
      </button>
    </FailurePanel>
  );
}
