import { csvFormat } from './csv/format.ts';
import { dcgmDmonFormat } from './dcgm/dmon-format.ts';
import { dcgmLongFormat } from './dcgm/long-format.ts';
import { dmonFormat } from './dmon/format.ts';
import { gpustatJsonFormat } from './gpustat/json-format.ts';
import { gpustatTextFormat } from './gpustat/text-format.ts';
import { kernelFormat } from './kernel/format.ts';
import { smiListFormat } from './list/format.ts';
import { npuTableFormat, npuWatchFormat } from './npu-smi/format.ts';
import { nvtopFormat } from './nvtop/format.ts';
import { ownFormat } from './own-format/format.ts';
import { pmonFormat } from './pmon/format.ts';
import { prometheusApiFormat } from './prometheus/api-format.ts';
import { prometheusTextFormat } from './prometheus/text-format.ts';
import { amdCsvFormat, amdJsonFormat, amdSmiTextFormat, rocmTextFormat } from './rocm/formats.ts';
import type { LogFormat } from './rows.ts';
import { smiTextFormat } from './smi-q/format.ts';
import { smiXmlFormat } from './smi-xml/format.ts';
import { smiTableFormat } from './table/format.ts';
import { tegrastatsFormat } from './tegrastats/format.ts';

/** Every kind of log that can be read. */
const FORMATS: readonly LogFormat[] = [
  ownFormat,
  gpustatTextFormat,
  gpustatJsonFormat,
  nvtopFormat,
  dcgmDmonFormat,
  dcgmLongFormat,
  prometheusTextFormat,
  prometheusApiFormat,
  rocmTextFormat,
  amdJsonFormat,
  amdCsvFormat,
  amdSmiTextFormat,
  npuTableFormat,
  npuWatchFormat,
  tegrastatsFormat,
  kernelFormat,
  smiTextFormat,
  smiXmlFormat,
  smiTableFormat,
  smiListFormat,
  dmonFormat,
  pmonFormat,
  csvFormat,
];

/** The format that makes the most of the first lines, and of how many; null if none can read any of them. */
export function recogniseFormat(
  head: readonly string[],
  columns: string | null,
): { readonly format: LogFormat; readonly lines: number } | null {
  let best: LogFormat | null = null;
  let most = 0;
  for (const format of FORMATS) {
    const lines = format.recognise(head, columns);
    if (lines > most) [best, most] = [format, lines];
  }
  return best === null ? null : { format: best, lines: most };
}
