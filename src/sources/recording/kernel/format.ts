import type { LogFormat } from '../rows.ts';
import { isFaultLine, isNoHandleLine } from './faults.ts';
import { KernelLogReader } from './reader.ts';

/** In front of every line of the kernel's log, in one of its many forms. */
const KERNEL = [
  /^(?:<\d+>)?\[\s*\d+\.\d{6}(?:@\d+)?\] /,
  /^(?:<\d+>)?\[\s*\+\d+\.\d{6}\] /,
  /^\[\p{L}{2,4}\.? \p{L}{3,5}\.?\s+\d{1,2} \d{2}:\d{2}:\d{2} \d{4}\] /u,
  /^\d{1,3},\d+,\d+,[^;]{1,40};/,
  /^kern\s*:\s*\w+\s*:/,
  /(?:^|\s)kernel(?:\[\d+\])?: /,
  /^\{.*"_TRANSPORT"\s*:\s*"kernel"/,
];

const ABOUT_GPUS = /\bNVRM: |\bnvidia-nvswitch\d+: |\bnvidia-peermem\b|\bamdgpu [0-9a-f]{4}:/;

/** Less than a line of any other kind of log counts. */
const WEAK = 0.01;

/** `dmesg`, the journal of the kernel, syslog, `/dev/kmsg`, or a log of a program that quotes the driver. */
export const kernelFormat: LogFormat = {
  id: 'kernel',
  isSparse: true,
  hasOwnStamps: true,
  recognise: (head) => {
    const isOurs = (line: string): boolean =>
      ABOUT_GPUS.test(line) || isFaultLine(line) || KERNEL.some((form) => form.test(line));
    // What nvidia-smi says of a card stands in its own logs, too.
    return head.filter(isOurs).reduce((sum, line) => sum + (isNoHandleLine(line) ? WEAK : 1), 0);
  },
  open: (context) => new KernelLogReader(context),
};
