import { memo } from 'react';
import { gpuColour, paletteFor } from '../charts/palette.ts';
import { useApp } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';

/** The colour by which a GPU is known in every view. */
export const GpuSwatch = memo(function GpuSwatch({ index }: { index: number }) {
  const dark = useStore(useApp().preferences.dark);
  return <span className="swatch" aria-hidden="true" style={{ background: gpuColour(paletteFor(dark), index) }} />;
});
