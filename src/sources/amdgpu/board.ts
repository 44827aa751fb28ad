import { type Absent, absent, isPresent, type Reading } from '../../model/reading.ts';
import type { Card } from '../drm/cards.ts';
import { Folder } from '../drm/folder.ts';
import type { DeviceUse, GpuReader, Identity, Site, Turn } from '../drm/gpu-reader.ts';
import { findHwmon } from '../drm/hwmon.ts';
import { PciLink } from '../drm/pci.ts';
import { textOrNull } from '../drm/read-file.ts';
import type { Row } from '../drm/row.ts';
import { readLevels } from './clock-levels.ts';
import { readErrorCounts } from './error-counts.ts';
import { type GpuMetrics, readMetrics } from './gpu-metrics.ts';
import { identifyCard } from './identity.ts';
import type { KfdNode } from './kfd.ts';
import { MemoryReader } from './memory.ts';
import { Sensors } from './sensors.ts';
import { ThrottleStatus } from './throttle.ts';

const NOT_SUPPORTED = absent('not-supported');
const PERCENT = { divisor: 100, max: 1 } as const;
const MHZ = 1e6;
const MAX_CLOCK_MHZ = 20_000;
/** Energy in the metrics table is in 2^-16 joules. */
const ENERGY_UNITS = 2 ** 16;

/** From this version on one queue of the video engine takes both directions. */
const UNIFIED_VIDEO_VERSION = 4;

/** A whole card, or the graphics part of a processor. */
export class Board implements GpuReader {
  readonly identity: Identity;
  readonly card: Card;
  readonly powerPath: string;
  readonly hasUnifiedVideo: boolean;
  isIntegrated = false;
  readonly #site: Site;
  readonly #device: Folder;
  readonly #link: PciLink;
  readonly #memory: MemoryReader;
  readonly #throttle = new ThrottleStatus();
  #sensors: Sensors | null = null;

  constructor(card: Card, site: Site, node: KfdNode | null) {
    this.card = card;
    this.identity = identifyCard(card, site, node);
    this.powerPath = card.devicePath;
    this.#site = site;
    this.#device = new Folder(card.devicePath, site.progress);
    this.#link = new PciLink(card.devicePath, site.progress);
    this.#memory = new MemoryReader(this.#device);
    this.hasUnifiedVideo = videoVersion(card.devicePath) >= UNIFIED_VIDEO_VERSION;
  }

  read(row: Row, { isSlow }: Turn): void {
    const device = this.#device;
    if (isSlow) this.#readSlow(row);
    const metrics = readMetrics(device);
    if (isSlow) this.isIntegrated = this.#judgeIntegrated(metrics);
    row.put('utilization_ratio', device.number('gpu_busy_percent', PERCENT));
    row.put('memory_utilization_ratio', device.number('mem_busy_percent', PERCENT));
    this.#memory.read(row, this.isIntegrated);
    this.#sensors?.read(row);
    if (row.get('graphics_clock_hertz') === null) this.#readClocks(row);
    this.#putMetrics(row, metrics);
  }

  /** The driver has figures of its own for all that clients use. */
  putUse(_row: Row, _use: DeviceUse | null): void {}

  #readSlow(row: Row): void {
    const device = this.#device;
    const { sys, progress } = this.#site;
    device.wake();
    this.#link.wake();
    const hwmon = findHwmon(sys, this.card.devicePath, ['amdgpu', 'radeon'], progress);
    this.#sensors = hwmon === null ? null : new Sensors(hwmon);
    this.#sensors?.readLimits(row);
    row.put('graphics_clock_max_hertz', readLevels(device, 'pp_dpm_sclk').highest);
    row.put('memory_clock_max_hertz', readLevels(device, 'pp_dpm_mclk').highest);
    this.#memory.readWindow(row);
    readErrorCounts(device, row);
    row.put('pcie_replay_total', device.number('pcie_replay_count', { max: 2 ** 53 }));
    this.#link.readMaxima(row);
    this.#link.readCurrent(row);
  }

  /** Where the sensors give no clocks, the marked levels do. */
  #readClocks(row: Row): void {
    const graphics = readLevels(this.#device, 'pp_dpm_sclk').current;
    if (isPresent(graphics)) row.put('graphics_clock_hertz', graphics);
    if (row.get('memory_clock_hertz') !== null) return;
    const memory = readLevels(this.#device, 'pp_dpm_mclk').current;
    if (isPresent(memory)) row.put('memory_clock_hertz', memory);
  }

  #putMetrics(row: Row, metrics: GpuMetrics | Absent): void {
    const isRead = !('absent' in metrics);
    row.put('clock_event_reasons', isRead ? this.#throttle.read(metrics) : metrics);
    row.put('video_clock_hertz', isRead ? videoClock(metrics) : metrics);
    row.put('energy_joules_total', isRead ? energy(metrics) : metrics);
    row.put('video_utilization_ratio', this.#videoUse(metrics));
  }

  #videoUse(metrics: GpuMetrics | Absent): Reading {
    const busy = this.#device.number('vcn_busy_percent', PERCENT);
    // The tables of processors do not say what unit their share is in.
    if (isPresent(busy) || 'absent' in metrics || metrics.isOfApu) return busy;
    const engines = metrics.numbers('vcn_activity').filter((percent) => percent <= 100);
    if (engines.length > 0) return engines.reduce((sum, percent) => sum + percent, 0) / engines.length / 100;
    const percent = metrics.number('mm_activity');
    return isPresent(percent) ? (percent <= 100 ? percent / 100 : absent('error')) : percent;
  }

  /**
   * The metrics table of a part of a processor has versions of its own. Where there is none, a part of a processor is known
   * by having less memory set aside than it may use of the host, and neither fan nor power limit.
   */
  #judgeIntegrated(metrics: GpuMetrics | Absent): boolean {
    if (!('absent' in metrics)) return metrics.isOfApu;
    return this.#memory.isSmall() && this.#sensors !== null && !this.#sensors.isOfCard;
  }
}

/** Only the tables of large chips say what unit their energy is in. */
function energy(metrics: GpuMetrics): Reading {
  const units = metrics.number('energy');
  return isPresent(units) ? units / ENERGY_UNITS : units;
}

function videoClock(metrics: GpuMetrics): Reading {
  const name = metrics.has('vclk0') ? 'vclk0' : 'vclk';
  const mhz = metrics.numbers(name)[0];
  if (mhz === undefined) return NOT_SUPPORTED;
  return mhz <= MAX_CLOCK_MHZ ? mhz * MHZ : absent('error');
}

/** Major version of the video engine; 0 where the driver does not tell. */
function videoVersion(devicePath: string): number {
  const folder = `${devicePath}/ip_discovery/die/0`;
  const major = textOrNull(`${folder}/VCN/0/major`) ?? textOrNull(`${folder}/UVD/0/major`);
  return Number(major ?? 0) || 0;
}
