import { jsonLines } from '../json-lines.ts';
import type { LogFormat } from '../rows.ts';
import { GpustatJsonReader } from './json-reader.ts';

/** `gpustat --json`, once or again and again. */
export const gpustatJsonFormat: LogFormat = {
  id: 'gpustat-json',
  recognise: (head) => jsonLines(head, [/"query_time"\s*:/, /"gpus"\s*:/]),
  open: (context) => new GpustatJsonReader(context),
};
