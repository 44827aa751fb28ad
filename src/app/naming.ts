import { METRIC_PROFILES, type NamingOptions } from '../exporters/metric-profiles.ts';
import { AppError } from '../model/errors.ts';

/** gpulse's own names, as they are exported where nothing else is asked for. */
export const DEFAULT_NAMING: NamingOptions = {
  profiles: ['gpulse'],
  ownerLabels: false,
  dcgm: { hostLabel: 'Hostname', names: 'legacy', fields: 'common' },
};

export interface NamingFlags {
  readonly metricsProfile?: string;
  readonly metricsOwnerLabels?: boolean;
  readonly dcgmHostLabel?: string;
  readonly dcgmNames?: string;
  readonly dcgmFields?: string;
}

/** How series are named: flags go before what a file says, `known`. Throws BAD_OPTION. */
export function parseNaming(flags: NamingFlags, known: NamingOptions): NamingOptions {
  const { profiles, ownerLabels, dcgm } = known;
  const names = flags.metricsProfile?.split(',').map((word) => word.trim());
  return {
    profiles: names?.map((name) => oneOf('--metrics-profile', name, METRIC_PROFILES)) ?? profiles,
    ownerLabels: flags.metricsOwnerLabels ?? ownerLabels,
    dcgm: {
      hostLabel: oneOf('--dcgm-host-label', flags.dcgmHostLabel ?? dcgm.hostLabel, ['Hostname', 'hostname', 'both']),
      names: oneOf('--dcgm-names', flags.dcgmNames ?? dcgm.names, ['legacy', 'renamed', 'both']),
      fields: oneOf('--dcgm-fields', flags.dcgmFields ?? dcgm.fields, ['common', 'all']),
    },
  };
}

function oneOf<const Word extends string>(option: string, value: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === value);
  if (word === undefined) throw new AppError('BAD_OPTION', { option, value, expected: words.join(' | ') });
  return word;
}
