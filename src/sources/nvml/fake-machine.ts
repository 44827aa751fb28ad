import type { MetricId } from '../../model/catalogue.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import type { Reading } from '../../model/reading.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { FakeDriver, type FakeDriverOptions } from './fake-driver.ts';
import { type NvmlOptions, type NvmlSource, openNvml } from './nvml-source.ts';

/** For tests only: a source on a fake driver, with a clock that stands still between ticks. */
export class FakeMachine {
  readonly driver: FakeDriver;
  readonly clock: ManualClock;
  readonly source: NvmlSource;

  constructor(driver: FakeDriver, clock: ManualClock, source: NvmlSource) {
    this.driver = driver;
    this.clock = clock;
    this.source = source;
  }

  /** The next tick, `afterMs` after the one before. */
  async tick(afterMs = 1000): Promise<Tick> {
    await this.clock.advance(afterMs);
    const tick = await this.source.sample(this.clock.now());
    if (tick === null) throw new Error('the source is closed');
    return tick;
  }

  /** The sample of one GPU in the next tick. */
  async sample(index = 0, afterMs = 1000): Promise<DeviceSample> {
    const tick = await this.tick(afterMs);
    const sample = tick.devices.find(({ device }) => device.index === index);
    if (sample === undefined) throw new Error(`GPU ${index} is not in the tick`);
    return sample;
  }

  async read(metric: MetricId, index = 0): Promise<Reading> {
    return (await this.sample(index)).readings.get(metric);
  }
}

const open: { driver: FakeDriver; source: NvmlSource | null }[] = [];

/** Opens a source on a new fake driver; throws the reason where it is refused. */
export async function startMachine(
  options: FakeDriverOptions = {},
  nvml: Partial<NvmlOptions> = {},
): Promise<FakeMachine> {
  const driver = new FakeDriver(options);
  const entry: (typeof open)[number] = { driver, source: null };
  open.push(entry);
  const clock = new ManualClock();
  const probe = await openNvml({ clock, library: driver.library, root: driver.root, ...nvml });
  if (!probe.ok) throw probe.reason;
  entry.source = probe.source;
  return new FakeMachine(driver, clock, probe.source);
}

/** Closes what {@link startMachine} opened, after letting every hung call return. */
export async function stopMachines(): Promise<void> {
  for (const { driver, source } of open.splice(0)) {
    driver.script('');
    await source?.close();
    driver.dispose();
  }
}
