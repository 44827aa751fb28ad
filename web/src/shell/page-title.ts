import type { ApiGpu } from '../../../src/model/api.ts';
import type { PageTranslate } from '../../../src/model/i18n/page-messages.ts';
import type { Place } from '../state/place.ts';
import { deviceName } from './device-name.ts';

type NamedGpu = Pick<ApiGpu, 'uuid' | 'index' | 'mig'>;

interface TitleFacts {
  readonly route: Place['route'];
  /** Null before it is known. */
  readonly host: string | null;
  readonly gpus: readonly NamedGpu[];
  /** How many GPUs are in trouble. */
  readonly trouble: number;
}

/** What a tab says at a glance: how many GPUs are in trouble, what the page shows, and of which host. */
export function pageTitle({ route, host, gpus, trouble }: TitleFacts, t: PageTranslate): string {
  const place = placeName(route, gpus, t);
  const parts = [place, host].filter((part) => part !== null);
  const title = parts.length === 0 ? 'gpulse' : `${parts.join(' · ')} – gpulse`;
  return trouble > 0 ? t('web.title.trouble', { n: trouble, title }) : title;
}

function placeName(route: Place['route'], gpus: readonly NamedGpu[], t: PageTranslate): string | null {
  switch (route.view) {
    case 'about':
      return t('web.nav.about');
    case 'findings':
      return t('web.nav.findings');
    case 'gpu':
      return gpuName(route.uuid, gpus, t);
    default:
      return null;
  }
}

function gpuName(uuid: string, gpus: readonly NamedGpu[], t: PageTranslate): string | null {
  const gpu = gpus.find((each) => each.uuid === uuid);
  return gpu === undefined ? null : deviceName(gpu, t);
}
