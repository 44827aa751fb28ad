import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../model/clock.ts';
import { KEEP_ALL } from '../retention.ts';
import type { RemoteHistoryOptions } from './remote-history.ts';

/** For tests only: the engines that a history is kept in, as packages bring them. */
export const ENGINES = [
  {
    name: 'Prometheus',
    ready: '/-/ready',
    args: (folder: string, port: number): readonly string[] => {
      writeFileSync(join(folder, 'prometheus.yml'), 'global: {}\n');
      return [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.enable-remote-write-receiver',
        '--storage.tsdb.retention.time=100y',
      ];
    },
  },
  {
    name: 'VictoriaMetrics',
    ready: '/health',
    args: (folder: string, port: number): readonly string[] => [
      `-storageDataPath=${join(folder, 'data')}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-retentionPeriod=100y',
    ],
  },
] as const;

/** Options of a history in an engine of a test. */
export function engineOptions(url: string, directory: string, host: string): RemoteHistoryOptions {
  return {
    directory,
    host,
    origin: 'live',
    clock: systemClock,
    labels: {},
    writeUrl: `${url}/api/v1/write`,
    queryUrl: url,
    credentials: { kind: 'none' },
    headers: {},
    timeoutMs: 10_000,
    retention: KEEP_ALL,
  };
}
