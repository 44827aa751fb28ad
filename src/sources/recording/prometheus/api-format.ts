import { jsonLines } from '../json-lines.ts';
import type { LogFormat } from '../rows.ts';
import { PrometheusApiReader } from './api-reader.ts';

/** Answers of Prometheus to queries: vectors and matrices, as a whole or only the array of series. */
export const prometheusApiFormat: LogFormat = {
  id: 'prometheus-api',
  recognise: (head) => jsonLines(head, [/"metric"\s*:\s*\{|"metric"\s*:\s*$/, /"values?"\s*:/]),
  open: (context) => new PrometheusApiReader(context),
};
