import { busIdIn, parseXidLine } from '../../model/xid-line.ts';
import { xidSeverity } from '../../model/xid-table.ts';
import { isFatalSwitch, wordedFault, xidParams } from './kernel/faults.ts';
import type { LogDevice, LogDevices } from './log-devices.ts';
import type { FormatContext, LogEvent } from './rows.ts';

/** Off the bus. */
const FALLEN_OFF = 79;

/**
 * True for a line of the kernel among those of a log of readings, as where both were written to one file: what it reports
 * becomes an event. Its own time, if it has one, may count from the start of the machine, so that it is not used.
 */
export function takeFault(text: string, { sink, devices }: Pick<FormatContext, 'sink' | 'devices'>): boolean {
  const found = faultIn(text, devices);
  if (found === null) return false;
  sink.event({ ...found, time: Number.NaN, isBeside: true });
  return true;
}

function faultIn(text: string, devices: LogDevices): Omit<LogEvent, 'time'> | null {
  if (text.includes('amdgpu ')) return amdFault(text, devices);
  if (!text.includes('Xid') && !text.includes('NVRM')) return null;
  const found = parseXidLine(text);
  if (found === null) return null;
  const { kind, xid, raw } = found;
  const isSwitch = kind === 'sxid';
  return {
    kind,
    device: isSwitch ? null : deviceAt(found.busId, devices),
    severity: isSwitch ? (isFatalSwitch(raw) ? 'critical' : 'warning') : xidSeverity(xid, raw),
    params: xidParams(found, found.busId),
    isLoss: kind === 'xid' && xid === FALLEN_OFF,
  };
}

function amdFault(text: string, devices: LogDevices): Omit<LogEvent, 'time'> | null {
  const found = wordedFault(text);
  if (found === null) return null;
  const { busId, severity, text: words, isLoss } = found;
  return { kind: 'marker', device: deviceAt(busId, devices), severity, params: { text: words }, isLoss };
}

/** The only device of a log that names no places is the one meant. */
function deviceAt(busId: string | null, devices: LogDevices): LogDevice | null {
  if (busId === null) return null;
  const known = devices.findByBusId(busIdIn(busId) ?? busId);
  if (known !== undefined) return known;
  const [only, other] = devices.all;
  return only !== undefined && other === undefined && only.device.pciBusId === null ? only : null;
}
