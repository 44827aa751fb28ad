import { readFileSync } from 'node:fs';
import type { Clock } from '../model/clock.ts';
import { detailOf } from '../model/errors.ts';
import type { Millis } from '../model/reading.ts';
import { BootTime, type KernelUnits, readKernelUnits } from '../owners/process/kernel-units.ts';
import { parseProcStat } from '../owners/process/proc-stat.ts';

/** A process as it was listed. */
interface Listed {
  readonly pid: number;
  readonly startedAt: Millis | null;
}

/**
 * `other`: the pid is another process by now; `unknown`: that cannot be told. Nothing was sent in both cases, nor where
 * the system refused.
 */
type Outcome = 'sent' | 'no-permission' | 'gone' | 'other' | 'unknown' | { readonly detail: string };

/** The kernel gives the boot time in whole seconds, and it moves with the wall clock. */
const SAME_START_MS = 2000;

/** Sends signals to processes of this machine, and only to those that were listed: pids are given out again. */
export class TopKill {
  readonly #root: string;
  readonly #units: KernelUnits;
  readonly #bootTime: BootTime;

  constructor(clock: Clock, root = '/proc') {
    this.#root = root;
    this.#units = readKernelUnits(root);
    this.#bootTime = new BootTime(root, clock);
  }

  send({ pid, startedAt }: Listed, signal: NodeJS.Signals): Outcome {
    // 0 and negative pids mean whole groups of processes, and 1 is the system.
    if (!Number.isInteger(pid) || pid <= 1 || startedAt === null) return 'unknown';
    const started = this.#startOf(pid);
    if (started === 'gone' || started === 'unknown') return started;
    if (Math.abs(started - startedAt) > SAME_START_MS) return 'other';
    try {
      process.kill(pid, signal);
      return 'sent';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPERM') return 'no-permission';
      return code === 'ESRCH' ? 'gone' : { detail: detailOf(error) };
    }
  }

  #startOf(pid: number): Millis | 'gone' | 'unknown' {
    let line: string;
    try {
      line = readFileSync(`${this.#root}/${pid}/stat`, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' || code === 'ESRCH' ? 'gone' : 'unknown';
    }
    const [stat, booted] = [parseProcStat(line), this.#bootTime.get()];
    if (stat === null || booted === null) return 'unknown';
    return booted + (Number(stat.startTicks) / this.#units.ticksPerSecond) * 1000;
  }
}
