/**
 * Where things stand in the `gpu_metrics` table of the amdgpu driver, by the version in its header. The kernel promises
 * never to change a version, yet 1.6 was: a table is known only if its size is right as well.
 */

type FieldType = 'u8' | 'u16' | 'u32' | 'u64';

interface Field {
  readonly type: FieldType;
  readonly offset: number;
  readonly count: number;
}

export interface Layout {
  readonly size: number;
  readonly fields: ReadonlyMap<string, Field>;
}

const BYTES: Readonly<Record<FieldType, number>> = { u8: 1, u16: 2, u32: 4, u64: 8 };

/** `structure_size`, `format_revision` and `content_revision` come first. */
const HEADER_BYTES = 4;

const TEMPERATURES = 'u16 edge hotspot mem vrgfx vrsoc vrmem';
const ACTIVITY = 'u16 gfx_activity umc_activity mm_activity socket_power';
const AVERAGE_CLOCKS = 'u16 avg_gfxclk avg_socclk avg_uclk avg_vclk0 avg_dclk0 avg_vclk1 avg_dclk1';
const CLOCKS = 'u16 gfxclk socclk uclk vclk0 dclk0 vclk1 dclk1';

const V1_0 = [
  'u64 system_clock',
  TEMPERATURES,
  ACTIVITY,
  'u32 energy_32',
  AVERAGE_CLOCKS,
  CLOCKS,
  'u32 throttle',
  'u16 fan',
  'u8 link_width link_speed',
];

const V1_1 = [
  TEMPERATURES,
  ACTIVITY,
  'u64 energy_unscaled system_clock',
  AVERAGE_CLOCKS,
  CLOCKS,
  'u32 throttle',
  'u16 fan link_width link_speed padding',
  'u32 gfx_activity_acc mem_activity_acc',
  'u16 hbm[4]',
];
const V1_2 = [...V1_1, 'u64 firmware_timestamp'];
const V1_3 = [...V1_2, 'u16 voltage_soc voltage_gfx voltage_mem padding1', 'u64 throttle_reasons'];

const HEAD = 'u16 hotspot mem vrsoc socket_power gfx_activity umc_activity';
const ENERGY = 'u64 energy system_clock';
const LINKS = 'u16 link_width link_speed xgmi_width xgmi_speed';
const TOTALS = 'u32 gfx_activity_acc mem_activity_acc';
const PCIE = 'u64 pcie_bandwidth_acc pcie_bandwidth pcie_recoveries pcie_replays pcie_rollovers';
const NAKS = 'u32 naks_sent naks_received';
const XGMI = 'u64 xgmi_read[8] xgmi_write[8]';
const ENGINE_CLOCKS = 'u16 gfxclk[8] socclk[4] vclk0[4] dclk0[4] uclk';
const RESIDENCIES = 'u32 cycles prochot_acc ppt_acc socket_thermal_acc vr_thermal_acc hbm_thermal_acc';

const V1_4 = [
  HEAD,
  'u16 vcn_activity[4]',
  ENERGY,
  'u32 throttle clock_lock',
  LINKS,
  TOTALS,
  PCIE,
  XGMI,
  'u64 firmware_timestamp',
  ENGINE_CLOCKS,
  'u16 padding',
];
const V1_5 = [
  HEAD,
  'u16 vcn_activity[4] jpeg_activity[32]',
  ENERGY,
  'u32 throttle clock_lock',
  LINKS,
  TOTALS,
  PCIE,
  NAKS,
  XGMI,
  'u64 firmware_timestamp',
  ENGINE_CLOCKS,
  'u16 padding',
];

/** A structure within the table starts where its widest field may stand. */
const ALIGN = 'u64';

/** What a partition has in the tables from 1.6 on. */
const PARTITION_1_0 = ['u32 gfx_busy[8]', 'u16 jpeg_busy[32] vcn_busy[4]', 'u64 gfx_busy_acc[8]'];
const PARTITION_1_1 = [...PARTITION_1_0, 'u64 below_limit_acc[8]'];
const PARTITION_1_2 = [
  'u32 gfx_busy[8]',
  'u16 jpeg_busy[40] vcn_busy[4]',
  'u64 gfx_busy_acc[8] below_ppt[8] below_thermal[8] low_use[8] below_total[8]',
];
const PARTITIONS = 8;

function partitioned(partition: readonly string[], options: { bandwidth: boolean; linkStatus: boolean }): string[] {
  const parts = Array.from({ length: PARTITIONS }, (_, i) => [
    ALIGN,
    ...partition.map((line) => line.replaceAll(/ (\w+)/g, ` xcp${i}_$1`)),
  ]);
  return [
    HEAD,
    ...(options.bandwidth ? ['u64 memory_bandwidth_max'] : []),
    ENERGY,
    RESIDENCIES,
    'u32 clock_lock',
    LINKS,
    TOTALS,
    PCIE,
    NAKS,
    XGMI,
    ...(options.linkStatus ? ['u16 xgmi_status[8] padding'] : []),
    'u64 firmware_timestamp',
    ENGINE_CLOCKS,
    'u16 partitions',
    ...parts.flat(),
    'u32 other_end_recoveries',
  ];
}

const APU_HEAD = 'u16 gfx_temp soc_temp core_temp[8] l3_temp[2] gfx_activity mm_activity';
const APU_POWER = 'u16 socket_power cpu_power soc_power gfx_power core_power[8]';
const APU_CLOCKS = [
  'u16 avg_gfxclk avg_socclk avg_uclk avg_fclk avg_vclk avg_dclk',
  'u16 gfxclk socclk uclk fclk vclk dclk coreclk[8] l3clk[2]',
  'u32 throttle',
];

const V2_0 = ['u64 system_clock', APU_HEAD, APU_POWER, ...APU_CLOCKS, 'u16 fan padding'];
const V2_1 = [APU_HEAD, 'u64 system_clock', APU_POWER, ...APU_CLOCKS, 'u16 fan padding[3]'];
const V2_2 = [...V2_1, 'u64 throttle_reasons'];
const V2_3 = [...V2_2, 'u16 avg_gfx_temp avg_soc_temp avg_core_temp[8] avg_l3_temp[2]'];
const V2_4 = [...V2_3, 'u16 cpu_voltage soc_voltage gfx_voltage cpu_current soc_current gfx_current'];

const LAYOUTS: Readonly<Record<string, Layout>> = {
  '1.0': layout(V1_0),
  '1.1': layout(V1_1),
  '1.2': layout(V1_2),
  '1.3': layout(V1_3),
  '1.4': layout(V1_4),
  '1.5': layout(V1_5),
  '1.6': layout(partitioned(PARTITION_1_0, { bandwidth: false, linkStatus: false })),
  '1.7': layout(partitioned(PARTITION_1_1, { bandwidth: true, linkStatus: true })),
  '1.8': layout(partitioned(PARTITION_1_2, { bandwidth: true, linkStatus: true })),
  '2.0': layout(V2_0),
  '2.1': layout(V2_1),
  '2.2': layout(V2_2),
  '2.3': layout(V2_3),
  '2.4': layout(V2_4),
};

/** The layout of a table by its version, such as `1.3`; undefined for one that is not known. */
export function layoutOf(version: string): Layout | undefined {
  return LAYOUTS[version];
}

/** Places the fields as a C compiler does: each on a multiple of its own size, the whole on one of the largest. */
function layout(lines: readonly string[]): Layout {
  const fields = new Map<string, Field>();
  let end = HEADER_BYTES;
  let widest = 2;
  for (const line of lines) {
    const [type, ...names] = line.trim().split(/\s+/) as [FieldType, ...string[]];
    const bytes = BYTES[type];
    widest = Math.max(widest, bytes);
    end = Math.ceil(end / bytes) * bytes;
    for (const word of names) {
      const [, name = word, count = '1'] = /^(\w+)(?:\[(\d+)\])?$/.exec(word) ?? [];
      fields.set(name, { type, offset: end, count: Number(count) });
      end += bytes * Number(count);
    }
  }
  return { size: Math.ceil(end / widest) * widest, fields };
}
