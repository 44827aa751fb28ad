import { writeAbsences } from './absences.ts';
import { writeDeviceStates } from './device-states.ts';
import type { SampleSink } from './family.ts';
import { placeOf } from './labels.ts';
import type { Page, Profile, Steps } from './page.ts';
import { type DcgmOptions, dcgmProfile } from './profiles/dcgm.ts';
import { gpulseProfile } from './profiles/gpulse.ts';
import { nvidiaSmiProfile } from './profiles/nvidia-smi.ts';
import { writeSelf } from './self.ts';

/** Ways to name series. Their names never meet, so that several can be on one page. */
export const METRIC_PROFILES = ['gpulse', 'dcgm', 'nvidia_smi'] as const;

type MetricProfile = (typeof METRIC_PROFILES)[number];

export interface NamingOptions {
  /** At least one. */
  readonly profiles: readonly MetricProfile[];
  /** Put the owner of a device on its series, where it has exactly one. */
  readonly ownerLabels: boolean;
  readonly dcgm: Omit<DcgmOptions, 'withOwner'>;
}

/** Writes everything that is exported under the names asked for. */
export interface PageWriter {
  inSteps(page: Page, sink: SampleSink): Steps;
}

export function createPageWriter(host: string, { profiles, ownerLabels, dcgm }: NamingOptions): PageWriter {
  const make: Readonly<Record<MetricProfile, () => Profile>> = {
    gpulse: () => gpulseProfile(ownerLabels),
    dcgm: () => dcgmProfile(host, { ...dcgm, withOwner: ownerLabels }),
    nvidia_smi: nvidiaSmiProfile,
  };
  const chosen = [...new Set(profiles)].map((id) => make[id]());
  return {
    *inSteps(page, sink) {
      for (const profile of chosen) yield* profile.inSteps(page, sink);
      writeAbsences(page, chosen, sink);
      yield;
      writeSelf(page, sink);
      // Under the names of gpulse they stand among the rest of the device.
      if (!profiles.includes('gpulse')) {
        writeDeviceStates(
          page,
          sink,
          page.rows.map(({ device }) => placeOf(device)),
        );
      }
    },
  };
}
