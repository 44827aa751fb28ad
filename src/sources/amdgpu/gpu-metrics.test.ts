import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pack } from '../drm/fake-tree.ts';
import { GpuMetrics } from './gpu-metrics.ts';
import { layoutOf } from './metrics-layout.ts';

/** Size and offsets as a C compiler gives them for the structures of the kernel. */
test.each([
  ['1.0', 80, { vclk0: 60 }],
  ['1.3', 120, { mm_activity: 20, vclk0: 60, throttle_reasons: 112 }],
  ['1.4', 288, { vcn_activity: 16, energy: 24, vclk0: 264 }],
  ['1.5', 360, { vcn_activity: 16, energy: 88, vclk0: 336 }],
  ['1.6', 1664, { energy: 16, ppt_acc: 40, vclk0: 288, xcp0_gfx_busy: 312, xcp1_gfx_busy: 480 }],
  ['1.7', 2208, { energy: 24, ppt_acc: 48, xcp0_gfx_busy: 344, xcp7_gfx_busy: 344 + 7 * 232 }],
  ['1.8', 3872, { hbm_thermal_acc: 60, xcp0_gfx_busy: 344, xcp1_gfx_busy: 344 + 440 }],
  ['2.0', 120, { vclk: 88 }],
  ['2.1', 120, { vclk: 84 }],
  ['2.2', 128, { throttle_reasons: 120 }],
  ['2.3', 152, { throttle_reasons: 120 }],
  ['2.4', 168, { throttle_reasons: 120 }],
])('version %s', (version, size, offsets) => {
  const layout = layoutOf(version);
  expect(layout?.size).toBe(size);
  for (const [name, offset] of Object.entries(offsets)) expect(layout?.fields.get(name)?.offset, name).toBe(offset);
});

function parse(text: string): GpuMetrics {
  const metrics = GpuMetrics.parse(pack(text));
  if ('absent' in metrics) throw new Error(metrics.absent);
  return metrics;
}

test('a version that is not known, or a known one of another size, has no fields', () => {
  for (const text of ['120 0:u16=120 2:u8=1 3:u8=99', '2048 0:u16=2048 2:u8=1 3:u8=6', '300 0:u16=300 2:u8=1 3:u8=3']) {
    const metrics = parse(text);
    expect(metrics.number('vclk0')).toEqual({ absent: 'not-supported' });
    expect(metrics.bits('throttle_reasons')).toBeNull();
  }
  expect(parse('264 0:u16=264 2:u8=3 3:u8=0').isOfApu).toBe(true);
});

test('all ones are not supported, at any width', () => {
  const metrics = parse('120 0:u16=120 2:u8=1 3:u8=3 60:u16=65535 112:u32=4294967295 116:u32=4294967295');
  expect(metrics.number('vclk0')).toEqual({ absent: 'not-supported' });
  expect(metrics.bits('throttle_reasons')).toBeNull();
  expect(parse('120 0:u16=120 2:u8=1 3:u8=3 112:u32=1 116:u32=2147483648').bits('throttle_reasons')).toEqual([0, 63]);
});

test('a table that is cut off is an error', () => {
  for (const text of ['0', '3', '119 0:u16=120 2:u8=1 3:u8=3', '120 0:u16=2']) {
    expect(GpuMetrics.parse(pack(text))).toEqual({ absent: 'error' });
  }
});

test('whatever the bytes, reading never throws and gives whole numbers', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(0, 3, 4, 5), (bytes, revision) => {
      const table = Buffer.from(bytes);
      if (table.length >= 4) {
        table.writeUInt16LE(table.length, 0);
        table[2] = 1;
        table[3] = revision;
      }
      const metrics = GpuMetrics.parse(table);
      if ('absent' in metrics) return;
      for (const name of ['vclk0', 'energy', 'mm_activity', 'xcp0_gfx_busy']) {
        const value = metrics.number(name);
        expect(typeof value !== 'number' || value >= 0).toBe(true);
        for (const number of metrics.numbers(name)) expect(Number.isFinite(number)).toBe(true);
      }
      metrics.bits('throttle_reasons');
    }),
  );
});
