import type { LogFormat } from '../rows.ts';
import { SmiXmlReader } from './reader.ts';

/** Only `nvidia-smi -q -x` has these. */
const ANCHOR = /<nvidia_smi_log\b|nvsmi_device_v\d+\.dtd|<gpu id\s*=\s*["']?[\da-f]{4,8}:[\da-f]{2}:/i;

/** The XML of `nvidia-smi -q -x`, one document or many after each other. */
export const smiXmlFormat: LogFormat = {
  id: 'smi-xml',
  recognise(head) {
    const start = head.findIndex((line) => ANCHOR.test(line));
    return start === -1 ? 0 : head.slice(start).filter((line) => /^\s*</.test(line)).length;
  },
  open: (context) => new SmiXmlReader(context),
};
