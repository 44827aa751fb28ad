import type { ReactNode } from 'react';
import { CauseAndRemedy } from './cause-and-remedy.tsx';

interface FailurePanelProps {
  readonly title: string;
  readonly failure: { readonly code: string; readonly message: string; readonly hint: string };
  readonly children?: ReactNode;
}

/** What went wrong: code, cause and remedy. */
export function FailurePanel({ title, failure, children }: FailurePanelProps) {
  return (
    <section className="panel failure" role="alert">
      <h2>{title}</h2>
      <CauseAndRemedy failure={failure} />
      {children}
    </section>
  );
}
