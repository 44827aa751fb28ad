import { absent, isPresent, type Reading } from '../../model/reading.ts';
import type { Card } from '../drm/cards.ts';
import type { EngineClass } from '../drm/fdinfo.ts';
import { Folder, firstPresent } from '../drm/folder.ts';
import type { DeviceUse, GpuReader, Identity, Site, Turn } from '../drm/gpu-reader.ts';
import { findHwmon } from '../drm/hwmon.ts';
import { PciLink } from '../drm/pci.ts';
import type { Row } from '../drm/row.ts';
import { findUnits, type GraphicsUnit } from './graphics-units.ts';
import { identifyCard } from './identity.ts';
import { putMemoryUse, readMemory } from './memory.ts';
import { Sensors } from './sensors.ts';
import { readThrottle } from './throttle.ts';

const NOT_SUPPORTED = absent('not-supported');
const NOT_COLLECTED = absent('not-collected');
const MEGAHERTZ = { factor: 1e6, max: 20e9 } as const;
const MILLISECONDS = { max: 2 ** 53 } as const;

/** A card, or the graphics part of a processor, run by i915 or xe. */
export class IntelGpu implements GpuReader {
  readonly identity: Identity;
  readonly card: Card;
  readonly powerPath: string;
  readonly isIntegrated: boolean;
  /** One kind of engine does both, whatever it is used for. */
  readonly hasUnifiedVideo = true;
  readonly #site: Site;
  readonly #folder: Folder;
  readonly #link: PciLink;
  #units: readonly GraphicsUnit[] = [];
  #sensors: { readonly path: string; readonly sensors: Sensors } | null = null;
  #idleBefore: { readonly ms: number; readonly at: number } | null = null;

  constructor(card: Card, site: Site) {
    this.card = card;
    this.identity = identifyCard(card, site);
    this.powerPath = card.devicePath;
    // Bus 0 is inside the processor; a card is always behind a port of it.
    this.isIntegrated = card.slot !== null && /^[0-9a-f]+:00:/.test(card.slot);
    this.#site = site;
    this.#folder = new Folder(card.path, site.progress);
    this.#link = new PciLink(card.devicePath, site.progress);
  }

  read(row: Row, { now, isSlow }: Turn): void {
    if (isSlow) this.#readSlow(row);
    const [main, ...others] = this.#units;
    const media = others.find(({ isMedia }) => isMedia);
    row.put('graphics_clock_hertz', this.#clock(main));
    row.put('video_clock_hertz', this.#clock(media));
    row.put('clock_event_reasons', main === undefined ? NOT_SUPPORTED : readThrottle(this.#folder, main));
    row.put('awake_ratio', this.#awake(main, now));
    this.#sensors?.sensors.read(row, now);
    if (!this.isIntegrated) readMemory(this.#folder, row);
  }

  putUse(row: Row, use: DeviceUse | null): void {
    row.put('utilization_ratio', engineUse(use, ['graphics', 'compute']));
    row.put('video_utilization_ratio', engineUse(use, ['video']));
    putMemoryUse(row, use, this.isIntegrated);
  }

  #readSlow(row: Row): void {
    const { sys, progress } = this.#site;
    this.#folder.wake();
    this.#link.wake();
    this.#units = findUnits(this.card);
    const hwmon = findHwmon(sys, this.card.devicePath, ['i915', 'xe'], progress);
    // The meter of its power lasts as long as the folder does.
    if (hwmon === null) this.#sensors = null;
    else if (this.#sensors?.path !== hwmon.path) this.#sensors = { path: hwmon.path, sensors: new Sensors(hwmon) };
    this.#sensors?.sensors.readLimits(row);
    const [main, ...others] = this.#units;
    row.put('graphics_clock_max_hertz', this.#highest(main));
    row.put('video_clock_max_hertz', this.#highest(others.find(({ isMedia }) => isMedia)));
    this.#link.readMaxima(row);
    this.#link.readCurrent(row);
  }

  /** What the unit runs at; 0 while it is switched off. Older chips only tell what was asked for. */
  #clock(unit: GraphicsUnit | undefined): Reading {
    if (unit === undefined) return NOT_SUPPORTED;
    return firstPresent(this.#folder.number(unit.actual, MEGAHERTZ), this.#folder.number(unit.requested, MEGAHERTZ));
  }

  #highest(unit: GraphicsUnit | undefined): Reading {
    return unit === undefined ? NOT_SUPPORTED : this.#folder.number(unit.highest, MEGAHERTZ);
  }

  #awake(unit: GraphicsUnit | undefined, now: number): Reading {
    if (unit === undefined) return NOT_SUPPORTED;
    const idle = firstPresent(...unit.idle.map((name) => this.#folder.number(name, MILLISECONDS)));
    if (!isPresent(idle)) return idle;
    const before = this.#idleBefore;
    this.#idleBefore = { ms: idle, at: now };
    if (before === null || idle < before.ms || now <= before.at) return NOT_COLLECTED;
    return Math.max(0, 1 - (idle - before.ms) / (now - before.at));
  }
}

/** The busiest group of engines, from what all clients did; nothing where some of them may not be seen. */
function engineUse(use: DeviceUse | null, engines: readonly EngineClass[]): Reading {
  if (use === null) return absent('error');
  if (!use.isComplete) return absent('no-permission');
  if (use.noRatios !== null) return absent(use.noRatios);
  return Math.max(0, ...engines.map((engine) => use.ratios.get(engine) ?? 0));
}
