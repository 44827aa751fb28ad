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
  /** In or near the part of the page one sees. */
  visible: boolean;
}

/** Where the painter gets its data. */
export interface SparkSource {
  readonly utilisation: { window(uuid: string): RecentWindow | undefined; readonly intervalMs: number };
  now(): Millis;
}

/** Paints all small charts of the overview in one go, at most once per frame, and none that is out of sight. */
export class SparkPainter {
  readonly #source: SparkSource;
  readonly #sparks = new Map<HTMLCanvasElement, Spark>();
  readonly #sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) this.#resize(target as HTMLCanvasElement, contentRect);
    this.paintSoon();
  });
  readonly #views = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) this.#show(target as HTMLCanvasElement, isIntersecting);
      this.paintSoon();
    },
    { rootMargin: '100px' },
  );
  #scheduled = false;

  constructor(source: SparkSource) {
    this.#source = source;
  }

  /** Keeps a canvas painted until the returned function is called. */
  add(canvas: HTMLCanvasElement, uuid: string, colour: string): () => void {
    this.#sparks.set(canvas, { uuid, colour, width: 0, height: 0, visible: false });
    this.#sizes.observe(canvas);
    this.#views.observe(canvas);
    return () => {
      this.#sizes.unobserve(canvas);
      this.#views.unobserve(canvas);
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
        if (spark.visible && spark.width > 0) this.#paint(canvas, spark, now);
      }
    });
  }

  #show(canvas: HTMLCanvasElement, visible: boolean): void {
    const spark = this.#sparks.get(canvas);
    if (spark !== undefined) spark.visible = visible;
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
    const context = canvas.getContext('2d', { willReadFrequently: true });
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

interface SparkPoint {
  readonly at: Millis;
  readonly x: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** Outlines of a spark: what lies below the mean, the band from smallest to largest, and the line of means. */
function traceSpark(window: RecentWindow, now: Millis, intervalMs: number, width: number, height: number) {
  const shape = { area: new Path2D(), band: new Path2D(), line: new Path2D() };
  const x = (at: Millis) => width - ((now - at) / RECENT_MS) * width;
  const y = (ratio: number) => 1 + (1 - Math.min(1, ratio)) * (height - 1);
  const bridged = Math.max(3 * intervalMs, window.bucketMs);
  let run: SparkPoint[] = [];
  window.forEach(now, (at, min, mean, max) => {
    const before = run.at(-1);
    if (before !== undefined && at - before.at > bridged) {
      addRun(shape, run, height);
      run = [];
    }
    const point = { at, x: x(at), min: y(min), mean: y(mean), max: y(max) };
    // The first bucket after a gap is drawn as wide as it is, so that it is seen without a neighbour.
    if (run.length === 0) run.push({ ...point, x: x(at - window.bucketMs) });
    run.push(point);
  });
  addRun(shape, run, height);
  return shape;
}

/** Adds a stretch without gaps as one outline each: filling many small ones costs several times as much. */
function addRun(
  { area, band, line }: Record<'area' | 'band' | 'line', Path2D>,
  run: readonly SparkPoint[],
  height: number,
) {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return;
  area.moveTo(first.x, height + 1);
  band.moveTo(first.x, first.max);
  line.moveTo(first.x, first.mean);
  for (const { x, mean, max } of run) {
    area.lineTo(x, mean);
    band.lineTo(x, max);
    line.lineTo(x, mean);
  }
  area.lineTo(last.x, height + 1);
  for (const { x, min } of run.toReversed()) band.lineTo(x, min);
}
