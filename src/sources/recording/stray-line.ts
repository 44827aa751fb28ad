import { classify, lostBusId } from './csv/stray-lines.ts';
import { normalBusId, UNKNOWN_IDENTITY } from './log-devices.ts';
import type { SkipReason } from './report.ts';
import type { FormatContext } from './rows.ts';
import { takeFault } from './stray-fault.ts';

/** `GPU1: 0000:0B:00.0` in messages of newer drivers. */
const NUMBER = /\bGPU ?(\d{1,3}): /i;

/**
 * Reports a line that was not read, and a device as lost if nvidia-smi says in it that the device cannot be reached.
 * `outcome` is what was wrong with the line. `hasBusIds` in a log that names every device by its bus id: one that is
 * known from this message only is listed too, as is one whose number the message tells;
 * null where only the order of rows tells the devices.
 */
export function skipLine(
  text: string,
  outcome: SkipReason,
  { number, isWhole }: { readonly number: number; readonly isWhole: boolean },
  { report, devices, sink }: FormatContext,
  hasBusIds: boolean | null = false,
): void {
  if (text.trim() === '' || takeFault(text, { devices, sink })) return;
  const reason = classify(text, outcome, isWhole);
  report.skip(reason, number);
  if (reason !== 'device-handle') return;
  const busId = lostBusId(text);
  const lost = busId === null ? undefined : devices.findByBusId(busId);
  const told = NUMBER.exec(text)?.[1];
  const index = told === undefined ? null : Number(told);
  const only = devices.all.length === 1 ? devices.all[0] : undefined;
  if (lost !== undefined) {
    sink.lost(lost);
  } else if (
    busId !== null &&
    hasBusIds !== null &&
    (hasBusIds || index !== null) &&
    isWhole &&
    !devices.hasSeveralHosts
  ) {
    const added = devices.resolve({ ...UNKNOWN_IDENTITY, pciBusId: normalBusId(busId), index, isUnseen: true });
    if (added !== null) sink.lost(added);
  } else if (only !== undefined && only.device.pciBusId === null) {
    sink.lost(only);
  }
}
