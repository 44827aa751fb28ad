import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { openHistory } from '../history/history.ts';
import type { Clock } from '../model/clock.ts';
import type { AppError } from '../model/errors.ts';
import type { History, Origin, Probe } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { startServer } from '../server/server.ts';
import { staleAfter } from '../sources/sampler.ts';
import { defaultDataDirectory, type ServeConfig } from './config.ts';
import { Live } from './live.ts';
import { openSource, parseSource, simulatedHistoryMs } from './open-source.ts';
import { AppReader } from './reader.ts';
import { Supply } from './supply.ts';
import { packageRoot, VERSION } from './version.ts';

export interface App {
  /** Address of the dashboard. */
  readonly url: string;
  source(): SourceStatus;
  /** Stops sampling, seals the history and ends every connection. */
  close(): Promise<void>;
}

const DEMO_SOURCE = 'simulate:demo';

/** What is going to be played: the source asked for, or a demonstration because there is no GPU. */
interface Program {
  readonly spec: string;
  readonly origin: Origin;
  readonly probe: Probe;
  readonly demoReason: AppError | null;
}

async function chooseProgram(config: ServeConfig, clock: Clock): Promise<Program> {
  const { source: spec, nvmlLibrary, timeZone, demoWithoutGpu } = config;
  const probe = await openSource({ spec, nvmlLibrary, timeZone, clock });
  if (probe.ok) return { spec, origin: probe.source.origin, probe, demoReason: null };
  if (!demoWithoutGpu) return { spec, origin: 'live', probe, demoReason: null };
  const demo = await openSource({ spec: DEMO_SOURCE, nvmlLibrary, timeZone, clock });
  return { spec: DEMO_SOURCE, origin: 'simulated', probe: demo, demoReason: probe.reason };
}

/** History of this machine has a place; anything else is kept only where the user names one. */
function historyDirectory({ data }: ServeConfig, origin: Origin): string | null {
  return data ?? (origin === 'live' ? defaultDataDirectory(process.env) : null);
}

/** Puts the objects together, starts them in order and undoes what was started when a later step fails. */
export async function startApp(config: ServeConfig, clock: Clock): Promise<App> {
  parseSource(config.source);
  const program = await chooseProgram(config, clock);
  const { probe } = program;
  const started: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of started.splice(0).reverse()) await close();
  };
  try {
    if (probe.ok) started.push(() => probe.source.close());
    const history = await openHistory({
      directory: historyDirectory(config, program.origin),
      origin: program.origin,
      clock,
    });
    started.push(() => history.close());
    const live = new Live({ clock, origin: program.origin, staleAfterMs: staleAfter(config.intervalMs) });
    const supply = await createSupply(config, program, clock, history, (tick) => {
      live.accept(tick);
      history.accept(tick);
    });
    started.push(() => supply.stop());
    const reader = new AppReader({
      host: hostname(),
      version: VERSION,
      clock,
      live,
      history,
      source: () => supply.status(),
    });
    const server = await startServer({ ...config, reader, clock, webRoot: builtDashboard() });
    started.push(() => server.close());
    await supply.start(probe);
    return { url: server.url, source: () => supply.status(), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function createSupply(
  config: ServeConfig,
  { spec, origin, demoReason }: Program,
  clock: Clock,
  history: History,
  publish: (tick: Tick) => void,
): Promise<Supply> {
  return new Supply({
    clock,
    intervalMs: config.intervalMs,
    speed: config.speed,
    origin,
    name: spec === 'auto' ? 'nvml' : spec,
    open: () => openSource({ ...config, spec, clock }),
    publish,
    drained: () => history.flush(),
    simulatedHistoryMs: await simulatedHistoryMs(spec),
    demoReason,
  });
}

/** Folder of the built dashboard, or null where it has not been built. */
function builtDashboard(): string | null {
  const folder = `${packageRoot()}/dist/web`;
  return existsSync(`${folder}/index.html`) ? folder : null;
}
