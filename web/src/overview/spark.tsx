import { createContext, memo, useContext, useEffect, useRef } from 'react';
import { gpuColour, paletteFor } from '../charts/palette.ts';
import { useApp } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';
import type { SparkPainter } from './spark-painter.ts';

/** The painter of the overview; null elsewhere. */
export const PainterContext = createContext<SparkPainter | null>(null);

/** Fifteen minutes of utilisation as an area. It has no text: the number beside it has. */
export const Spark = memo(function Spark({ uuid, index }: { uuid: string; index: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useContext(PainterContext);
  const dark = useStore(useApp().preferences.dark);
  useEffect(() => {
    if (canvas.current === null || painter === null) return undefined;
    return painter.add(canvas.current, uuid, gpuColour(paletteFor(dark), index));
  }, [painter, uuid, index, dark]);
  return <canvas ref={canvas} className="spark" />;
});
