import type { ApiGpu } from '../../../src/model/api.ts';
import { shortDeviceName } from '../../../src/model/format.ts';
import { deviceName, sliceWords } from '../shell/device-name.ts';
import { GpuSwatch } from '../shell/gpu-swatch.tsx';
import { Link } from '../shell/link.tsx';
import { useText } from '../state/app-context.ts';

/** The head of a row: what the GPU is called, and the way to its page. */
export function RowName({ gpu, instances }: { gpu: ApiGpu; instances: number }) {
  const t = useText();
  const place = { route: { view: 'gpu', uuid: gpu.uuid } } as const;
  const title = `${gpu.name}\n${gpu.uuid}`;
  if (gpu.mig !== null) {
    const [size, instance] = sliceWords(gpu.mig, t);
    return (
      <>
        <PartGlyph />
        <Link to={place} className="row-link" aria-label={deviceName(gpu, t)}>
          <span className="row-slice" title={title}>
            {size} {instance !== undefined && <span className="quiet">{instance}</span>}
          </span>
        </Link>
      </>
    );
  }
  return (
    <>
      <GpuSwatch index={gpu.index} />
      <Link to={place} className="row-link" aria-label={t('web.gpu.open', { index: gpu.index, name: gpu.name })}>
        <span className="row-index">{gpu.index}</span>
        <span className="row-names">
          <span className="row-name" title={title}>
            {shortDeviceName(gpu.name)}
          </span>
          {instances > 0 && <span className="row-parts">{t('web.mig.count', { n: instances })}</span>}
        </span>
      </Link>
    </>
  );
}

/** Shows that a row belongs to the one above. */
function PartGlyph() {
  return (
    <svg className="row-branch" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5 0v8h9" fill="none" />
    </svg>
  );
}
