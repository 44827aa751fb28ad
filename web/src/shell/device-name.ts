import type { ApiGpu } from '../../../src/model/api.ts';
import type { PageTranslate } from '../../../src/model/i18n/page-messages.ts';

type Named = Pick<ApiGpu, 'index' | 'mig'>;

/** What tells a device from all others on the page: `GPU 3`, `GPU 3 · MIG 1g.10gb · GI 5`. */
export function deviceName(gpu: Named, t: PageTranslate): string {
  const card = `GPU ${gpu.index}`;
  return gpu.mig === null ? card : [card, ...sliceWords(gpu.mig, t)].join(' · ');
}

/** What tells the MIG instances of one card apart: the profile, and the number of the GPU instance. */
export function sliceWords({ profile, gpuInstance }: NonNullable<ApiGpu['mig']>, t: PageTranslate): readonly string[] {
  const size = profile === null ? 'MIG' : t('web.mig', { profile });
  return gpuInstance === null ? [size] : [size, t('web.mig.instance', { id: gpuInstance })];
}
