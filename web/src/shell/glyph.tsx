import type { Condition } from '../../../src/client/condition.ts';
import type { Severity } from '../../../src/model/event.ts';

/** One drawing per state, so that colour is never its only sign. 12 units wide and high. */
const CONDITION_PATHS: Readonly<Record<Condition, string>> = {
  lost: 'M2.5 2.5l7 7M9.5 2.5l-7 7',
  errors: 'M4 1.2h4L10.8 4v4L8 10.8H4L1.2 8V4zM6 3.6v3M6 8.3v.2',
  throttled: 'M6 1.5v8.5M2.5 6.5L6 10l3.5-3.5',
  stale: 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M6 3.5V6l2 1.5',
  asleep: 'M4.5 1.8a4.6 4.6 0 1 0 5.8 5.8a4 4 0 0 1-5.8-5.8',
  full: 'M2 10V2h8v8zM2 4.5h8M2 7h8',
  held: 'M4 2v8M8 2v8',
  light: 'M2 9.5h2M5 9.5h2M8 9.5h2',
  unknown: 'M4 4.2a2 2 0 1 1 2.9 1.8c-.7.4-.9.7-.9 1.5M6 9.6v.4',
  busy: 'M3 1.8l6.8 4.2L3 10.2z',
  free: 'M6 2a4 4 0 1 0 0 8a4 4 0 1 0 0-8',
};

const SEVERITY_PATHS: Readonly<Record<Severity, string>> = {
  critical: 'M2.5 2.5l7 7M9.5 2.5l-7 7',
  warning: 'M6 1.5l5 9H1zM6 5v2.5M6 9v.2',
  info: 'M6 1.5v.3M6 4.5v6',
};

export function ConditionGlyph({ condition }: { condition: Condition }) {
  return <Drawing path={CONDITION_PATHS[condition]} filled={condition === 'busy'} />;
}

export function SeverityGlyph({ severity }: { severity: Severity }) {
  return <Drawing path={SEVERITY_PATHS[severity]} filled={false} />;
}

const ARROW_PATHS = { left: 'M7.5 2L3.5 6l4 4', right: 'M4.5 2l4 4-4 4', down: 'M2 4.5l4 4 4-4' } as const;

/** Arrows of the buttons to a neighbouring GPU, and of what folds out. */
export function ArrowGlyph({ direction }: { direction: keyof typeof ARROW_PATHS }) {
  return <Drawing path={ARROW_PATHS[direction]} filled={false} />;
}

function Drawing({ path, filled }: { path: string; filled: boolean }) {
  return (
    <svg className="glyph" viewBox="0 0 12 12" aria-hidden="true">
      <path d={path} fill={filled ? 'currentColor' : 'none'} />
    </svg>
  );
}
