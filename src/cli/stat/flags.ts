import { type Command, Option } from 'commander';
import { AppError } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import type { SourceFlags } from '../options.ts';
import type { Filters } from './filter.ts';
import type { GpustatLayout } from './gpustat-text.ts';

/** What commander makes of the flags of `stat`. */
export interface StatFlags extends SourceFlags {
  readonly json?: boolean;
  readonly interval?: string | true;
  readonly watch?: string | true;
  readonly id?: string;
  readonly gpu?: string;
  readonly user?: string;
  readonly job?: string;
  readonly state?: string;
  readonly layout?: 'gpulse' | 'gpustat';
  /** False for `--no-server`. */
  readonly server?: string | false;
  readonly exitCodeIfUnhealthy?: string | true;
  readonly debug?: boolean;
  readonly showCmd?: boolean;
  readonly showUser?: boolean;
  readonly showPid?: boolean;
  readonly showFullCmd?: boolean;
  readonly showFan?: boolean;
  readonly showFanSpeed?: boolean;
  readonly showCodec?: string | true;
  readonly showPower?: string | true;
  readonly showAll?: boolean;
  readonly color?: boolean;
  readonly forceColor?: boolean;
  readonly header: boolean;
  readonly processes: boolean;
  readonly gpunameWidth?: string;
}

/** The flags of gpustat, and what gpulse adds to them. */
export function addStatOptions(command: Command, { t }: Context): void {
  command
    .option('-i, --interval [SECONDS]', t('stat.interval'))
    .addOption(new Option('--watch [SECONDS]').hideHelp())
    .option('--id <LIST>', t('watch.gpu'))
    .addOption(new Option('--gpu <LIST>').hideHelp())
    .option('--user <LIST>', t('stat.user'))
    .option('--job <LIST>', t('stat.job'))
    .option('--state <LIST>', t('stat.state'))
    .option('--json', t('stat.json'))
    .option('--server <URL>', t('stat.server'))
    .option('--no-server', t('stat.no-server'))
    .option('--exit-code-if-unhealthy [CODE]', t('stat.exit-code'))
    .addOption(new Option('--layout <LAYOUT>', t('stat.layout')).choices(['gpulse', 'gpustat']))
    .option('-c, --show-cmd', t('stat.show-cmd'))
    .option('-u, --show-user', t('stat.show-user'))
    .option('-p, --show-pid', t('stat.show-pid'))
    .option('-f, --show-full-cmd', t('stat.show-full-cmd'))
    .option('-F, --show-fan', t('stat.show-fan'))
    .addOption(new Option('--show-fan-speed').hideHelp())
    .option('-e, --show-codec [PARTS]', t('stat.show-codec'))
    .option('-P, --show-power [PARTS]', t('stat.show-power'))
    .option('-a, --show-all', t('stat.show-all'))
    .option('--color', t('stat.color'))
    .addOption(new Option('--force-color').hideHelp())
    .option('--no-color', t('stat.no-color'))
    .option('--no-header', t('stat.no-header'))
    .option('--no-processes', t('stat.no-processes'))
    .option('--gpuname-width <N>', t('stat.gpuname-width'))
    .option('--debug', t('stat.debug'));
}

/** The layout of gpustat where one of its flags, or `--layout`, asks for it; null for gpulse's own. Throws BAD_OPTION. */
export function gpustatLayout(flags: StatFlags): GpustatLayout | null {
  const { showAll = false, layout } = flags;
  const codec = partsOf('--show-codec', flags.showCodec ?? (showAll || undefined), ['enc', 'dec'] as const);
  const power = partsOf('--show-power', flags.showPower ?? (showAll || undefined), ['draw', 'limit'] as const);
  const isAsked =
    [flags.showCmd, flags.showUser, flags.showPid, flags.showFullCmd, flags.showFan, flags.showFanSpeed, showAll].some(
      (flag) => flag === true,
    ) ||
    codec.length + power.length > 0 ||
    flags.gpunameWidth !== undefined ||
    flags.color !== undefined ||
    flags.forceColor === true ||
    !flags.header ||
    !flags.processes;
  if (layout === 'gpulse' || (layout === undefined && !isAsked)) return null;
  return {
    command: flags.showCmd === true || showAll,
    user: flags.showUser === true || showAll,
    pid: flags.showPid === true || showAll,
    fullCommand: flags.showFullCmd === true || showAll,
    fan: flags.showFan === true || flags.showFanSpeed === true || showAll,
    codec,
    power,
    header: flags.header,
    processes: flags.processes,
    nameWidth: flags.gpunameWidth === undefined ? null : nameWidth(flags.gpunameWidth),
  };
}

/** A list of parts; the flag without a list stands for all of them. */
function partsOf<Part extends string>(
  option: string,
  value: string | true | undefined,
  known: readonly Part[],
): readonly Part[] {
  if (value === undefined) return [];
  if (value === true) return known;
  return value.split(',').map((word) => {
    const part = known.find((each) => each === word.trim());
    if (part === undefined) throw new AppError('BAD_OPTION', { option, value, expected: known.join(',') });
    return part;
  });
}

function nameWidth(value: string): number {
  const width = Number(value);
  if (!/^\d+$/.test(value.trim())) {
    throw new AppError('BAD_OPTION', { option: '--gpuname-width', value, expected: '0, 1, 2, 3, …' });
  }
  return width;
}

const LEAST_SECONDS = 0.1;
const MOST_SECONDS = 86_400;

/** Milliseconds between two looks; null to look once. Throws BAD_OPTION. */
export function intervalOf({ interval, watch }: StatFlags, { t }: Pick<Context, 't'>): number | null {
  const value = interval ?? watch;
  if (value === undefined) return null;
  if (value === true) return 1000;
  const seconds = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS)) {
    throw new AppError('BAD_OPTION', { option: '--interval', value, expected: t('stat.interval-takes') });
  }
  return seconds * 1000;
}

export function filtersOf({ id, gpu, user, job, state }: StatFlags): Filters {
  return { ids: id ?? gpu, users: user, jobs: job, states: state };
}

/** The exit code for a GPU that needs attention; null where it was not asked for. Throws BAD_OPTION. */
export function unhealthyExit({ exitCodeIfUnhealthy: value }: StatFlags): number | null {
  if (value === undefined) return null;
  if (value === true) return 5;
  const code = Number(value);
  if (!Number.isInteger(code) || code < 1 || code > 255) {
    throw new AppError('BAD_OPTION', { option: '--exit-code-if-unhealthy', value, expected: '1 … 255' });
  }
  return code;
}
