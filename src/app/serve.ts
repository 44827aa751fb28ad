import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { openHistory } from '../history/history.ts';
import type { Clock } from '../model/clock.ts';
import type { Controls } from '../model/controls.ts';
import type { AppError } from '../model/errors.ts';
import type { History, Origin, Probe } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { startServer } from '../server/server.ts';
import { staleAfter } from '../sources/sampler.ts';
import { defaultDataDirectory, type ServeConfig } from './config.ts';
import { Live } from './live.ts';
import { DEFAULT_NAMING } from './naming.ts';
import { openSource, parseSource, remoteHost, simulatedHistoryMs } from './open-source.ts';
import { AppReader } from './reader.ts';
import { Reporting } from './reporting.ts';
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
  const { source: spec, nvmlLibrary, timeZone, intervalMs, demoWithoutGpu } = config;
  const probe = await openSource({ spec, nvmlLibrary, timeZone, intervalMs, clock });
  if (probe.ok) return { spec, origin: probe.source.origin, probe, demoReason: null };
  if (!demoWithoutGpu) return { spec, origin: 'live', probe, demoReason: null };
  const demo = await openSource({ spec: DEMO_SOURCE, nvmlLibrary, timeZone, clock });
  return { spec: DEMO_SOURCE, origin: 'simulated', probe: demo, demoReason: probe.reason };
}

/** History of a machine has a place; anything else is kept only where the user names one. */
function historyDirectory({ data, source }: ServeConfig, origin: Origin): string | null {
  if (data !== null || origin !== 'live') return data;
  const remote = remoteHost(source);
  const directory = defaultDataDirectory(process.env);
  // A machine's past is never mixed with that of another one.
  return remote === null ? directory : join(directory, 'remote', remote.replaceAll(/[^\w.@-]/g, '_'));
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
      ...(config.keep === null ? {} : { retention: config.keep }),
    });
    started.push(() => history.close());
    const live = new Live({ clock, origin: program.origin, staleAfterMs: staleAfter(config.intervalMs) });
    const reporting = new Reporting({
      host: process.env['NODE_NAME'] || hostname(),
      clock,
      naming: config.naming ?? DEFAULT_NAMING,
      sinks: config.sinks ?? [],
      reader: () => reader,
    });
    const supply = await createSupply(config, program, clock, history, (tick) => {
      live.accept(tick);
      reporting.accept(tick);
      history.accept(tick);
    });
    started.push(() => supply.stop());
    started.push(() => reporting.close());
    const reader: AppReader = new AppReader({
      host: hostname(),
      version: VERSION,
      clock,
      live,
      history,
      source: () => supply.status(),
      topology: () => supply.topology(),
    });
    const controls: Controls = {
      release: (_viewer, forMs) => supply.release(forMs),
      resume: () => supply.resume(),
    };
    const server = await startServer({
      ...config,
      reader,
      controls,
      clock,
      webRoot: builtDashboard(),
      exposition: reporting.exposition,
    });
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
    name: spec,
    open: (known) => openSource({ ...config, spec, clock, known }),
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
