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
/** So many are added each time: a page of ten thousand lines cannot be scrolled. */
const MORE_EVENTS = 200;

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
  const [listed, setListed] = useState(FIRST_EVENTS);
  if (events.length === 0) return <p className="quiet">{empty}</p>;
  const newestFirst = events.slice(-listed).reverse();
  const rest = events.length - newestFirst.length;
  const more = Math.min(rest, MORE_EVENTS);
  return (
    <>
      <ol className={now === null ? 'events events-dated' : 'events'}>
        {newestFirst.map((event) => (
          <EventLine key={eventKey(event)} event={event} now={now} linked={linked} />
        ))}
      </ol>
      {rest > 0 && (
        <button type="button" className="plain" onClick={() => setListed(newestFirst.length + more)}>
          {rest > more ? t('web.events.more-of', { n: more, rest }) : t('web.events.more', { n: rest })}
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
