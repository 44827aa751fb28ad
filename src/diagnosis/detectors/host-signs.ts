import type { Evidence } from '../../model/finding.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { waitsUnder } from '../case/rhythm-profile.ts';
import { observe } from '../detector.ts';
import { correlation } from '../statistics/robust.ts';
import { type Mask, meanUnder, type Values } from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';
import { figure, percent } from '../wording.ts';

const CPU_FULL = 0.9;
const IOWAIT = 0.2;
const DISK_BUSY = 0.8;
const OPPOSITE = -0.3;

/**
 * What the host did while a GPU waited in its work, or in the part of it that `mask` picks: each sign is evidence of its own
 * that the host is what it waits for.
 */
export function hostSigns({ host }: Window, gpu: GpuCase, mask: Mask = gpu.work.mask): readonly Evidence[] {
  const { util } = gpu;
  const [cpu, waits, disks] = [
    host.column('host_cpu_ratio'),
    host.column('host_iowait_ratio'),
    host.column('host_disk_busy_ratio'),
  ];
  if (util === null || (cpu === null && waits === null && disks === null)) return [];
  const waiting = waitsUnder(util, mask).cells;
  const whole = !waiting.includes(1);
  const meanOf = (column: Values | null): number =>
    column === null ? Number.NaN : meanUnder(column, whole ? mask : waiting);
  const [cpuBusy, iowait, disk] = [meanOf(cpu), meanOf(waits), meanOf(disks)];
  const tie = cpu === null || whole ? 0 : correlation(cpu, util);
  return [
    cpuBusy >= CPU_FULL
      ? observe('evidence.cpu-full', { share: percent(cpuBusy) }, 'host_cpu_ratio', { share: cpuBusy })
      : null,
    iowait >= IOWAIT
      ? observe('evidence.iowait', { share: percent(iowait) }, 'host_iowait_ratio', { share: iowait })
      : null,
    disk >= DISK_BUSY && iowait > 0.05
      ? observe('evidence.disk-busy', { share: percent(disk) }, 'host_disk_busy_ratio', { share: disk })
      : null,
    tie <= OPPOSITE
      ? observe('evidence.cpu-opposite', { value: figure(tie) }, 'host_cpu_ratio', { correlation: tie })
      : null,
  ].filter((sign) => sign !== null);
}
