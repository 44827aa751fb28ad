/** Long enough before the first sample that start-up is over. */
const LONG_AGO_MS = 6 * 3_600_000;

/** A job at one moment. */
export interface Life {
  alive: boolean;
  /** Since its processes started. */
  ageMs: number;
  /** Grows by one with every restart; it decides the pids. */
  generation: number;
}

/** When a job runs: fills `life` for a time and the incident of the scenario, both in ms from the first sample. */
export type Lifetime = (timeMs: number, incidentMs: number, life: Life) => void;

/** Has been running for long and goes on. */
export const always: Lifetime = (timeMs, _incidentMs, life) => {
  set(life, true, timeMs + LONG_AGO_MS, 0);
};

/** Dies at the incident and is started again after `downMs`. */
export function restartedAfterIncident(downMs: number): Lifetime {
  return (timeMs, incidentMs, life) => {
    if (timeMs < incidentMs) always(timeMs, incidentMs, life);
    else set(life, timeMs >= incidentMs + downMs, timeMs - incidentMs - downMs, 1);
  };
}

/** Runs for `aliveMs`, is gone for `downMs`, and so on; one of its ends falls on the incident, or on time 0. */
export function recurring(aliveMs: number, downMs: number): Lifetime {
  const period = aliveMs + downMs;
  return (timeMs, incidentMs, life) => {
    const sinceEnd = timeMs - (Number.isFinite(incidentMs) ? incidentMs : 0);
    const round = Math.floor(sinceEnd / period);
    const ageMs = sinceEnd - round * period - downMs;
    set(life, ageMs >= 0, ageMs, round);
  };
}

function set(life: Life, alive: boolean, ageMs: number, generation: number): void {
  life.alive = alive;
  life.ageMs = Math.max(0, ageMs);
  life.generation = generation;
}
