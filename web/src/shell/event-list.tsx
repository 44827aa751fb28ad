import { memo, useState } from 'react';
import type { ApiEvent } from '../../../src/model/api.ts';
import type { Millis } from '../../../src/model/reading.ts';
import { eventKey } from '../session/event-log.ts';
import { useText } from '../state/app-context.ts';
import { SeverityGlyph } from './glyph.tsx';
import { Link } from './link.tsx';
import { Moment } from './moment.tsx';

/** So many are listed before one asks for more. */
const FIRST_EVENTS = 12;

interface EventListProps {
  /** Oldest first, as they happened; listed newest first. */
  readonly events: readonly ApiEvent[];
  /** What the times are relative to; null writes them out, for the events of a recording. */
  readonly now: Millis | null;
  /** What is said where nothing happened. */
  readonly empty: string;
  /** Whether each event leads to its GPU. */
  readonly linked: boolean;
}

export function EventList({ events, now, empty, linked }: EventListProps) {
  const t = useText();
  const [all, setAll] = useState(false);
  if (events.length === 0) return <p className="quiet">{empty}</p>;
  const newestFirst = events.slice(all ? 0 : -FIRST_EVENTS).reverse();
  return (
    <>
      <ol className={now === null ? 'events events-dated' : 'events'}>
        {newestFirst.map((event) => (
          <EventLine key={eventKey(event)} event={event} now={now} linked={linked} />
        ))}
      </ol>
      {events.length > newestFirst.length && (
        <button type="button" className="plain" onClick={() => setAll(true)}>
          {t('web.events.more', { n: events.length - newestFirst.length })}
        </button>
      )}
    </>
  );
}

interface EventLineProps {
  readonly event: ApiEvent;
  readonly now: Millis | null;
  readonly linked: boolean;
}

const EventLine = memo(function EventLine({ event: { at, severity, text, uuid }, now, linked }: EventLineProps) {
  const word = useText()(`severity.${severity}`);
  return (
    <li className={`event event-${severity}`}>
      <Moment at={at} now={now} />
      <span className="event-severity" title={word}>
        <SeverityGlyph severity={severity} />
        <span className="unseen">{word}</span>
      </span>
      {linked && uuid !== null ? <Link to={{ route: { view: 'gpu', uuid } }}>{text}</Link> : <span>{text}</span>}
    </li>
  );
});
