import { documentStart, jsonLines } from '../json-lines.ts';
import { withoutEscapes } from '../plain-line.ts';
import type { LogFormat } from '../rows.ts';
import { AmdSmiTextReader, isAmdDevice, isAmdMember, isMonitorHeader } from './amd-smi-text.ts';
import { AmdCsvReader, amdCsvHeader } from './csv-reader.ts';
import { AmdJsonReader } from './json-reader.ts';
import { conciseHeader, parseDetail } from './text-lines.ts';
import { isRocmBanner, RocmTextReader } from './text-reader.ts';

/** What rocm-smi prints for people, its concise table or its long output. */
export const rocmTextFormat: LogFormat = {
  id: 'rocm-smi',
  recognise(head) {
    const lines = head.map(withoutEscapes);
    const isOurs = lines.some(
      (line) => isRocmBanner(line) || conciseHeader(line) !== null || parseDetail(line) !== null,
    );
    if (!isOurs) return 0;
    return lines.filter(
      (line) => /^\s*(?:={3,}|\d+ {2,}\S)/.test(line) || parseDetail(line) !== null || isRocmBanner(line),
    ).length;
  },
  stampPlaces: () => (line) => (isRocmBanner(line) ? 'start' : null),
  open: (context) => new RocmTextReader(context),
};

/** `rocm-smi --json` and `amd-smi … --json`. */
export const amdJsonFormat: LogFormat = {
  id: 'amd-json',
  recognise: (head) =>
    Math.max(
      jsonLines(head, [/"card\d+"\s*:/]),
      jsonLines(head, [
        /"gpu"\s*:\s*"?\d/,
        /"(?:gfx_activity|socket_power|power_usage|hotspot|hotspot_temperature|used_vram|vram_used|market_name|bdf)"\s*:/,
      ]),
    ),
  stampPlaces: () => documentStart,
  open: (context) => new AmdJsonReader(context),
};

/** `rocm-smi --csv` and `amd-smi … --csv`. */
export const amdCsvFormat: LogFormat = {
  id: 'amd-csv',
  recognise(head) {
    if (!head.some((line) => amdCsvHeader(line) !== null)) return 0;
    return head.filter((line) => amdCsvHeader(line) !== null || /^[^,]*,?(?:card)?\d+,/.test(line)).length;
  },
  stampPlaces: () => (line) => (amdCsvHeader(line) === null ? 'row' : 'start'),
  open: (context) => new AmdCsvReader(context),
};

/** What amd-smi prints for people. */
export const amdSmiTextFormat: LogFormat = {
  id: 'amd-smi',
  recognise(head) {
    const lines = head.map(withoutEscapes);
    if (lines.some(isMonitorHeader)) return lines.filter((line) => isMonitorHeader(line) || /^\s*\d/.test(line)).length;
    if (!lines.some(isAmdDevice)) return 0;
    return lines.filter((line) => isAmdDevice(line) || isAmdMember(line)).length;
  },
  stampPlaces: () => (line) => (isMonitorHeader(line) || /^GPU:\s*0\s*$/.test(line) ? 'start' : null),
  open: (context) => new AmdSmiTextReader(context),
};
