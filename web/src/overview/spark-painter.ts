import type { RecentWindow } from '../../../src/client/recent-window.ts';
import { RECENT_MS } from '../../../src/client/utilisation-history.ts';
import type { Millis } from '../../../src/model/reading.ts';
import { withAlpha } from '../charts/palette.ts';

interface Spark {
  readonly uuid: string;
  readonly colour: string;
  /** Size in CSS pixels, as last observed; nothing is measured while painting. */
  width: number;
  height: number;
}

/** Where the painter gets its data. */
export interface SparkSource {
  readonly utilisation: { window(uuid: string): RecentWindow | undefined; readonly intervalMs: number };
  now(): Millis;
}

/** Paints all small charts of the overview in one go, at most once per frame, and none while the page is hidden. */
export class SparkPainter {
  readonly #source: SparkSource;
  readonly #sparks = new Map<HTMLCanvasElement, Spark>();
  readonly #observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) this.#resize(target as HTMLCanvasElement, contentRect);
    this.paintSoon();
  });
  #scheduled = false;

  constructor(source: SparkSource) {
    this.#source = source;
  }

  /** Keeps a canvas painted until the returned function is called. */
  add(canvas: HTMLCanvasElement, uuid: string, colour: string): () => void {
    this.#sparks.set(canvas, { uuid, colour, width: 0, height: 0 });
    this.#observer.observe(canvas);
    return () => {
      this.#observer.unobserve(canvas);
      this.#sparks.delete(canvas);
    };
  }

  paintSoon(): void {
    if (this.#scheduled || this.#sparks.size === 0 || document.hidden) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      const now = this.#source.now();
      for (const [canvas, spark] of this.#sparks) {
        if (spark.width > 0) this.#paint(canvas, spark, now);
      }
    });
  }

  #resize(canvas: HTMLCanvasElement, { width, height }: DOMRectReadOnly): void {
    const spark = this.#sparks.get(canvas);
    if (spark === undefined) return;
    spark.width = width;
    spark.height = height;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
  }

  #paint(canvas: HTMLCanvasElement, { uuid, colour, width, height }: Spark, now: Millis): void {
    const context = canvas.getContext('2d');
    if (context === null) return;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, width, height);
    const window = this.#source.utilisation.window(uuid);
    if (window === undefined) return;
    const shape = traceSpark(window, now, this.#source.utilisation.intervalMs, width, height - 1);
    context.fillStyle = withAlpha(colour, 0.09);
    context.fill(shape.area);
    context.fillStyle = withAlpha(colour, 0.22);
    context.fill(shape.band);
    context.strokeStyle = colour;
    context.lineWidth = 1.25;
    context.lineJoin = 'round';
    context.stroke(shape.line);
  }
}

/** Outlines of a spark: what lies below the mean, the band from smallest to largest, and the line of means. */
function traceSpark(window: RecentWindow, now: Millis, intervalMs: number, width: number, height: number) {
  const area = new Path2D();
  const band = new Path2D();
  const line = new Path2D();
  const x = (at: Millis) => width - ((now - at) / RECENT_MS) * width;
  const y = (ratio: number) => 1 + (1 - Math.min(1, ratio)) * (height - 1);
  let before: { at: Millis; x: number; min: number; mean: number; max: number } | null = null;
  window.forEach(now, (at, min, mean, max) => {
    const here = { at, x: x(at), min: y(min), mean: y(mean), max: y(max) };
    const bridged = before !== null && at - before.at <= Math.max(3 * intervalMs, window.bucketMs);
    // A bucket without a neighbour is drawn as wide as it is, so that it is seen.
    const from: NonNullable<typeof before> =
      before !== null && bridged ? before : { ...here, x: x(at - window.bucketMs) };
    if (!bridged) line.moveTo(from.x, from.mean);
    line.lineTo(here.x, here.mean);
    quad(area, from.x, from.mean, height + 1, here.x, here.mean, height + 1);
    quad(band, from.x, from.max, from.min, here.x, here.max, here.min);
    before = here;
  });
  return { area, band, line };
}

function quad(path: Path2D, x0: number, top0: number, low0: number, x1: number, top1: number, low1: number): void {
  path.moveTo(x0, top0);
  path.lineTo(x1, top1);
  path.lineTo(x1, low1);
  path.lineTo(x0, low0);
  path.closePath();
}
