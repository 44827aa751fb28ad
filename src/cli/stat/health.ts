import type { Look } from '../../app/look.ts';
import { AppError } from '../../model/errors.ts';
import type { DeviceView } from '../../model/reader.ts';
import type { Context } from '../context.ts';
import { isUnhealthy, isUnwell, snapshotFilter } from './filter.ts';
import { filtersOf, type StatFlags, unhealthyExit } from './flags.ts';

/**
 * What the looks of a command that goes on come to for its exit code: a GPU that was unhealthy in one of them was
 * unhealthy, also where it is well again, or no longer seen by the time somebody reads the code.
 */
export class Health {
  readonly #context: Context;
  readonly #exit: number | null;
  readonly #filtered: ReturnType<typeof snapshotFilter>;
  readonly #isOwners: boolean;
  /** By the names of the cards, in the order in which they were first found so. */
  readonly #unhealthy = new Set<string>();
  #unwell: readonly DeviceView[] = [];
  #hasShown = false;

  /** Throws BAD_OPTION for a code or a filter that is none. */
  constructor(flags: StatFlags, context: Context) {
    this.#context = context;
    this.#exit = unhealthyExit(flags);
    this.#filtered = snapshotFilter(filtersOf(flags));
    this.#isOwners = flags.user !== undefined || flags.job !== undefined;
  }

  /** Takes note of a look. */
  see({ snapshot }: Look): void {
    const { devices } = this.#filtered(snapshot);
    if (devices.length > 0) this.#hasShown = true;
    this.#unwell = devices.filter(isUnwell);
    if (this.#exit !== null) for (const view of devices.filter(isUnhealthy)) this.#unhealthy.add(this.#nameOf(view));
  }

  /** Sets the exit code where one was asked for, and says of which GPUs it tells: by default unless a screen shows them. */
  conclude(isSaid = process.stdout.isTTY !== true): void {
    if (this.#exit === null) return;
    // Whoever named an owner looked at nothing all the time.
    if (this.#unhealthy.size > 0 || (this.#isOwners && !this.#hasShown)) process.exitCode = this.#exit;
    if (this.#unhealthy.size === 0 || !isSaid) return;
    const { warn, t } = this.#context;
    warn(t('stat.unhealthy', { names: this.#listed(this.#unhealthy) }));
  }

  /**
   * The same after the last look of all. Where no code was asked for, throws why the GPUs could not be sampled, or GPU_UNWELL
   * for those that gave nothing: the list is complete, but a script must not take them for healthy ones.
   */
  concludeLast(failure: AppError | null, isSaid?: boolean): void {
    if (this.#exit !== null) {
      this.conclude(isSaid);
      return;
    }
    if (failure !== null) throw failure;
    if (this.#unwell.length === 0) return;
    const names = new Set(this.#unwell.map((view) => this.#nameOf(view)));
    throw new AppError('GPU_UNWELL', { names: this.#listed(names) });
  }

  /** The MIG instances of a card are as the card is. */
  #nameOf(view: DeviceView): string {
    const { device, state } = view;
    const word = state !== 'ok' ? `state.${state}` : isUnwell(view) ? 'absent.error' : 'stat.unhealthy-word';
    return `GPU ${device.index} ${this.#context.t(word as 'state.lost')}`;
  }

  #listed(names: ReadonlySet<string>): string {
    return [...names].join(this.#context.lang === 'zh' ? '、' : ', ');
  }
}
