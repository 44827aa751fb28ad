import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock } from '../model/clock.ts';
import type { Controls } from '../model/controls.ts';
import type { AppError } from '../model/errors.ts';
import type { Origin, Probe } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { startServer } from '../server/server.ts';
import { staleAfter } from '../sources/sampler.ts';
import type { ServeConfig } from './config.ts';
import { Live } from './live.ts';
import { DEFAULT_NAMING } from './naming.ts';
import { historyFor, type OpenedHistory } from './open-history.ts';
import { openSource, parseSource, simulatedHistoryMs } from './open-source.ts';
import { AppReader } from './reader.ts';
import { Reporting } from './reporting.ts';
import { type LogOutput, ServiceLog } from './service-log.ts';
import { Supply } from './supply.ts';
import { packageRoot, VERSION } from './version.ts';
import { watchFindings } from './watch-findings.ts';

export interface App {
  /** Address of the dashboard. */
  readonly url: string;
  source(): SourceStatus;
  /** Stops sampling, seals the history and ends every connection. */
  close(): Promise<void>;
}

const DEMO_SOURCE = 'simulate:demo';

const SILENT: LogOutput = { lang: 'en', print: () => {} };

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

/**
 * Puts the objects together, starts them in order and undoes what was started when a later step fails. What happens while
 * it runs is told in `output`; nowhere where it is left out.
 */
export async function startApp(config: ServeConfig, clock: Clock, output: LogOutput = SILENT): Promise<App> {
  parseSource(config.source);
  const program = await chooseProgram(config, clock);
  const { probe } = program;
  const started: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of started.splice(0).reverse()) await close();
  };
  try {
    if (probe.ok) started.push(() => probe.source.close());
    const opened = await historyFor(config, program.origin, clock);
    const { history } = opened;
    started.push(() => history.close());
    const live = new Live({ clock, origin: program.origin, staleAfterMs: staleAfter(config.intervalMs) });
    const host = hostName();
    const reporting = new Reporting({
      host,
      clock,
      naming: config.naming ?? DEFAULT_NAMING,
      sinks: config.sinks ?? [],
      reader: () => reader,
    });
    const findings = await watchFindings(config, program.origin, clock, () => supply.status());
    started.push(() => findings.stop());
    const status = () => reporting.annotate(supply.status());
    const log = new ServiceLog({ ...output, clock, status, devices: () => live.snapshot().devices });
    const supply: Supply = await createSupply(config, program, clock, opened, (tick) => {
      for (const sink of [live, reporting, history, findings, log]) sink.accept(tick);
    });
    started.push(() => supply.stop());
    started.push(() => reporting.close());
    // Before the source: what a stop takes away is no news.
    started.push(async () => log.close());
    const reader: AppReader = new AppReader({
      host,
      version: VERSION,
      clock,
      live,
      history,
      source: status,
      topology: () => supply.topology(),
      findings: () => findings.findings(),
    });
    const server = await startServer({
      ...config,
      reader,
      controls: controlsOf(supply),
      clock,
      webRoot: builtDashboard(),
      exposition: reporting.exposition,
    });
    started.push(() => server.close());
    await startSupply(supply, program, log);
    return { url: server.url, source: () => supply.status(), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** A past that is made up is no news, and a recording has nothing else. */
async function startSupply(supply: Supply, { origin, probe }: Program, log: ServiceLog): Promise<void> {
  if (origin === 'live') log.open();
  await supply.start(probe);
  if (origin === 'simulated') log.open();
}

/** Name of this host; in a cluster that of the node, where the name of the pod says nothing. */
function hostName(): string {
  return process.env['NODE_NAME'] || hostname();
}

function controlsOf(supply: Supply): Controls {
  return { release: (_viewer, forMs) => supply.release(forMs), resume: () => supply.resume() };
}

async function createSupply(
  config: ServeConfig,
  { spec, origin, demoReason }: Program,
  clock: Clock,
  { drained, takesSimulatedPast }: OpenedHistory,
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
    drained,
    simulatedHistoryMs: takesSimulatedPast ? await simulatedHistoryMs(spec) : 0,
    demoReason,
  });
}

/** Folder of the built dashboard, or null where it has not been built. */
function builtDashboard(): string | null {
  const folder = `${packageRoot()}/dist/web`;
  return existsSync(`${folder}/index.html`) ? folder : null;
}
