import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Demand, noDemand } from './demand.ts';
import { H100_SXM } from './device-model.ts';
import { GpuPhysics, REASON, STEP_MS } from './gpu-physics.ts';

const HEAT = REASON.swThermal | REASON.hwThermal;
const INLET = 27;

function gpu(): GpuPhysics {
  return new GpuPhysics(H100_SXM, INLET, 0);
}

function work(amount: number, memoryBusy = 0.3): Demand {
  return { ...noDemand(), busy: Math.min(1, amount), work: amount, memoryBusy };
}

function run(physics: GpuPhysics, demand: Demand, seconds: number, resistance = 1): void {
  for (let ms = 0; ms < seconds * 1000; ms += STEP_MS) physics.step(demand, INLET, resistance);
}

/** Stretches of load and cooling, some of which overheat. */
const stretches = fc.array(
  fc.record({
    amount: fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 1.3, noNaN: true })),
    resistance: fc.double({ min: 0.8, max: 3.5, noNaN: true }),
    seconds: fc.integer({ min: 1, max: 200 }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Runs the stretches on a new GPU each time and looks at every step with what `watch` gives. */
function everyStep(watch: () => (physics: GpuPhysics) => void): void {
  fc.assert(
    fc.property(stretches, (list) => {
      const physics = gpu();
      const visit = watch();
      for (const { amount, resistance, seconds } of list) {
        for (let ms = 0; ms < seconds * 1000; ms += STEP_MS) {
          physics.step(work(amount), INLET, resistance);
          visit(physics);
        }
      }
    }),
    { numRuns: 60 },
  );
}

describe('a cool GPU', () => {
  test('rests at idle power and clock, with the idle reason, ten seconds after its last work', () => {
    const physics = gpu();
    run(physics, work(0.9), 60);
    run(physics, noDemand(), 10);
    expect(physics.reasons).toBe(0);
    run(physics, noDemand(), 0.5);
    expect(physics.reasons).toBe(REASON.idle);
    expect(physics.smClock).toBe(H100_SXM.smClockIdle);
    expect(physics.powerMilliwatts).toBe(70_000);
  });

  test('reaches the power limit, not more, and says so', () => {
    const physics = gpu();
    run(physics, work(1.15), 1);
    expect(physics.reasons).toBe(REASON.powerCap);
    expect(physics.smClock).toBeLessThan(H100_SXM.smClockMax);
    expect(physics.powerMilliwatts).toBeGreaterThan(690_000);
    expect(physics.powerMilliwatts).toBeLessThanOrEqual(700_000);
  });

  test('approaches its final temperature with the time constant of the core', () => {
    const physics = gpu();
    const start = physics.temperature;
    const final = INLET + (108 + 592 * 0.8) * H100_SXM.coolingKelvinPerWatt;
    run(physics, work(0.8), H100_SXM.coreTimeConstant / 1000);
    expect((physics.temperature - start) / (final - start)).toBeCloseTo(1 - Math.exp(-1), 3);
    run(physics, work(0.8), 600);
    expect(physics.temperature).toBeCloseTo(final, 2);
  });

  test('its memory follows more slowly and runs warmer under traffic', () => {
    const [quiet, busy] = [gpu(), gpu()];
    run(quiet, work(0.8, 0.05), 600);
    run(busy, work(0.8, 0.6), 600);
    expect(busy.memoryTemperature).toBeGreaterThan(quiet.memoryTemperature + 3);
    run(busy, noDemand(), 40);
    expect(busy.memoryTemperature).toBeGreaterThan(busy.temperature + 5);
  });
});

describe('a badly cooled GPU', () => {
  test('throttles, cools down, recovers, and throttles again', () => {
    const physics = gpu();
    let began = 0;
    let wasThrottled = false;
    for (let step = 0; step < 1200; step++) {
      physics.step(work(0.95), INLET, 1.8);
      const throttled = (physics.reasons & HEAT) !== 0;
      if (throttled && !wasThrottled) began++;
      wasThrottled = throttled;
    }
    expect(began).toBeGreaterThanOrEqual(4);
  });

  test('has its clock halved by the hardware when the driver is too slow', () => {
    const physics = gpu();
    let halved = 0;
    for (let step = 0; step < 240; step++) {
      physics.step(work(0.95), INLET, 3.2);
      if ((physics.reasons & REASON.hwThermal) === 0) continue;
      halved++;
      expect(physics.reasons & REASON.hwSlowdown).toBe(REASON.hwSlowdown);
      expect(physics.smClock).toBeLessThanOrEqual(H100_SXM.smClockMax / 2);
    }
    expect(halved).toBeGreaterThan(0);
  });
});

describe('under any load and cooling', () => {
  test('a thermal reason is set exactly when heat lowers the clock', () => {
    let throttled = 0;
    everyStep(() => (physics) => {
      const lowered = physics.smClock < physics.coolClock;
      expect((physics.reasons & HEAT) !== 0).toBe(lowered);
      if (lowered) throttled++;
    });
    expect(throttled).toBeGreaterThan(100);
  });

  test('clocks come in 15 MHz steps, power keeps to its limit, temperature to its bounds', () => {
    everyStep(() => (physics) => {
      expect(physics.smClock % 15e6).toBe(0);
      expect(physics.powerMilliwatts).toBeGreaterThanOrEqual(70_000);
      expect(physics.powerMilliwatts).toBeLessThanOrEqual(700_000);
      expect(physics.temperature).toBeGreaterThan(INLET);
      expect(physics.temperature).toBeLessThan(95);
    });
  });

  test('energy is the exact sum of power over time', () => {
    everyStep(() => {
      let sum = 0;
      return (physics) => {
        sum += physics.powerMilliwatts * STEP_MS;
        expect(physics.energyMicrojoules).toBe(sum);
      };
    });
  });
});
