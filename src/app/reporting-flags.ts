import { type ReportingConfig, readConfigFile } from './config-file.ts';
import { engineAt } from './history-config.ts';
import { DEFAULT_NAMING, type NamingFlags, parseNaming } from './naming.ts';
import { endpoint, gatewayAddress, influxTarget, SINK_DEFAULTS, type SinkConfig } from './sinks.ts';

/** Flags of `serve` about what leaves this machine. */
export interface ReportingFlags extends NamingFlags {
  readonly config?: string;
  readonly pushGateway?: string;
  readonly influx?: string;
  readonly remoteWrite?: string;
  readonly otlp?: string;
  readonly historyUrl?: string;
}

/** What the configuration file says, with what flags say in its place. Throws CONFIG_… and BAD_OPTION. */
export function parseReporting(flags: ReportingFlags): ReportingConfig {
  const file: ReportingConfig =
    flags.config === undefined ? { naming: DEFAULT_NAMING, sinks: [] } : readConfigFile(flags.config);
  const own = flagSinks(flags);
  const kinds = own.map(({ kind }) => kind);
  const { historyUrl } = flags;
  const history = historyUrl === undefined ? file.history : engineAt('--history-url', historyUrl);
  return {
    naming: parseNaming(flags, file.naming),
    sinks: [...file.sinks.filter(({ kind }) => !kinds.includes(kind)), ...own],
    ...(history === undefined ? {} : { history }),
  };
}

function flagSinks({ pushGateway, influx, remoteWrite, otlp }: ReportingFlags): readonly SinkConfig[] {
  const sinks: SinkConfig[] = [];
  const common = (option: string, value: string) => ({ ...SINK_DEFAULTS, ...endpoint(option, value) });
  if (pushGateway !== undefined) {
    gatewayAddress('--push-gateway', pushGateway);
    sinks.push({ kind: 'pushgateway', ...common('--push-gateway', pushGateway), job: 'gpulse', instance: null });
  }
  if (influx !== undefined) {
    const target = influxTarget('--influx', influx);
    sinks.push({ kind: 'influx', ...common('--influx', influx), target, measurement: 'gpulse' });
  }
  if (remoteWrite !== undefined) {
    sinks.push({ kind: 'remote-write', ...common('--remote-write', remoteWrite), labels: {} });
  }
  if (otlp !== undefined) sinks.push({ kind: 'otlp', ...common('--otlp', otlp) });
  return sinks;
}
