import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryOf, parseFdinfo } from './fdinfo.ts';

/** What the text says: memory, and the engines as `name class ns|cycles/total *capacity`. */
function summary(text: string): unknown {
  const info = parseFdinfo(text);
  if (info === null) return null;
  const engines = info.engines.map(
    ({ name, class: group, ns, cycles, totalCycles, capacity }) =>
      `${name} ${group} ${ns ?? `${cycles}/${totalCycles}`} *${capacity}`,
  );
  return { id: `${info.driver} ${info.slot} ${info.clientId}`, ...memoryOf(info), engines };
}

test.each<[string, string, unknown]>([
  [
    'amdgpu',
    'pos:\t0\ndrm-driver:\tamdgpu\ndrm-client-id:\t4\ndrm-pdev:\t0000:C4:00.0\npasid:\t3\ndrm-memory-vram:\t44 KiB\n' +
      'drm-memory-gtt: \t2 MiB\ndrm-memory-cpu: \t0 KiB\namd-evicted-vram:\t9 KiB\ndrm-engine-gfx:\t39 ns\ndrm-engine-enc_1:\t7 ns\n',
    {
      id: 'amdgpu 0000:c4:00.0 4',
      device: 44 * 1024,
      system: 2 * 2 ** 20,
      engines: ['gfx graphics 39 *1', 'enc_1 encode 7 *1'],
    },
  ],
  [
    'the older and the newer key for the same memory are one',
    'drm-driver:\tamdgpu\ndrm-total-vram:\t100\ndrm-resident-vram:\t90\ndrm-memory-vram:\t80\ndrm-shared-vram:\t70\n',
    { id: 'amdgpu null null', device: 90, system: null, engines: [] },
  ],
  [
    'i915 with engines of capacity',
    'drm-driver:\ti915\ndrm-client-id:\t7\ndrm-total-system0:\t2048 KiB\ndrm-resident-local0:\t3 GiB\n' +
      'drm-engine-capacity-video:\t2\ndrm-engine-video:\t5 ns\ndrm-engine-video-enhance:\t6 ns\n',
    {
      id: 'i915 null 7',
      device: 3 * 2 ** 30,
      system: 2 * 2 ** 20,
      engines: ['video video 5 *2', 'video-enhance null 6 *1'],
    },
  ],
  [
    'xe in cycles',
    'drm-driver:\txe\ndrm-cycles-ccs:\t5\ndrm-total-cycles-ccs:\t1000\ndrm-engine-capacity-ccs:\t4\ndrm-resident-vram0:\t1\n' +
      'drm-resident-vram1:\t2\ndrm-resident-gtt:\t3\ndrm-resident-system:\t4\n',
    { id: 'xe null null', device: 3, system: 7, engines: ['ccs compute 5/1000 *4'] },
  ],
  ['no graphics driver', 'pos:\t0\nflags:\t02\nmnt_id:\t9\n', null],
  ['an empty driver', 'drm-driver:\t\ndrm-pdev:\t0000:01:00.0\n', null],
  ['an empty file', '', null],
  [
    'numbers that are none',
    'drm-driver:\tx\ndrm-memory-vram:\t-1 KiB\ndrm-resident-vram:\t5 furlongs\ndrm-engine-gfx:\tns\ndrm-engine-capacity-gfx:\t0\n' +
      'drm-total-vram:\t0x10\ndrm-resident-gtt:\t99999999999999 GiB\nno colon\n:\n',
    { id: 'x null null', device: null, system: null, engines: ['gfx graphics null/null *1'] },
  ],
])('%s', (_, text, want) => expect(summary(text)).toEqual(want));

describe('whatever the text', () => {
  test('reading it never throws, and gives no negative or infinite number', () => {
    const key = fc.constantFrom(
      'driver',
      'pdev',
      'client-id',
      'engine-gfx',
      'engine-capacity-gfx',
      'cycles-rcs',
      'total-cycles-rcs',
      'memory-vram',
      'resident-local0',
      'total-system0',
    );
    const value = fc.oneof(
      fc.string(),
      fc.bigInt().map(String),
      fc.nat().map((n) => `${n} KiB`),
    );
    const line = fc.oneof(
      fc.string(),
      fc.tuple(key, value).map(([k, v]) => `drm-${k}:\t${v}`),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const info = parseFdinfo(lines.join('\n'));
        if (info === null) return;
        const { device, system } = memoryOf(info);
        for (const bytes of [device, system]) expect(bytes === null || bytes >= 0).toBe(true);
        for (const { capacity } of info.engines) expect(capacity).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
