import type { ApiDetails, ApiLink } from '../../model/api-device.ts';
import { isPresent, type Reading, valueOrNull } from '../../model/reading.ts';
import type { DeviceDetails, NvLink } from '../../model/tick.ts';

export function apiDetails(details: DeviceDetails | undefined): ApiDetails {
  const { fans, links } = details ?? {};
  return { fans: fans?.map(apiFan) ?? null, links: links?.map(apiLink) ?? null };
}

/** The parts that changed, each whole; undefined where none did. */
export function detailsChange(
  now: DeviceDetails | undefined,
  before: DeviceDetails | undefined,
): Partial<ApiDetails> | undefined {
  if (now === before) return undefined;
  const { fans, links } = apiDetails(now);
  const known = apiDetails(before);
  const fansChanged = now?.fans !== before?.fans && JSON.stringify(fans) !== JSON.stringify(known.fans);
  const linksChanged = now?.links !== before?.links && JSON.stringify(links) !== JSON.stringify(known.links);
  if (!fansChanged && !linksChanged) return undefined;
  return { ...(fansChanged && { fans }), ...(linksChanged && { links }) };
}

function apiFan(reading: Reading): NonNullable<ApiDetails['fans']>[number] {
  return { ratio: valueOrNull(reading), absent: isPresent(reading) ? null : reading.absent };
}

function apiLink({ link, isActive, peerBusId, ...counts }: NvLink): ApiLink {
  const { crcErrors, replayErrors, recoveryErrors } = counts;
  const absent: ApiLink['absent'] = {};
  for (const [name, reading] of Object.entries({ crcErrors, replayErrors, recoveryErrors })) {
    if (!isPresent(reading)) absent[name] = reading.absent;
  }
  return {
    link,
    isActive,
    peerBusId,
    crcErrors: valueOrNull(crcErrors),
    replayErrors: valueOrNull(replayErrors),
    recoveryErrors: valueOrNull(recoveryErrors),
    absent,
  };
}
