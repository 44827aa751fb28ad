import type { AbsenceReason } from '../../../src/model/reading.ts';
import { useText } from '../state/app-context.ts';

/** A value that is not there: a dash, with the reason for the pointer, for screen readers and on a focused row. */
export function Missing({ reason }: { reason: AbsenceReason }) {
  const words = useText()(`absent.${reason}`);
  return (
    <span className="missing" title={words}>
      <span aria-hidden="true">–</span>
      <span className="missing-reason">{words}</span>
    </span>
  );
}
