import { type MetricId, metric } from '../../../model/catalogue.ts';
import type { DeviceFact } from '../../../model/device.ts';
import type { ReadingSet } from '../../../model/reading-set.ts';
import { type Identity, normalBusId, UNKNOWN_IDENTITY } from '../log-devices.ts';
import type { RowReadings } from '../row-readings.ts';

type Rule = readonly [key: RegExp, id: MetricId, scale: number];

const MIB = 2 ** 20;

/** Titles of rocm-smi, which differ from release to release. The first rule that gives a metric its value wins. */
const ROCM_RULES: readonly Rule[] = [
  [/^temperature \(sensor edge\)/, 'temperature_celsius', 1],
  [/^temperature \(sensor junction\)/, 'hotspot_temperature_celsius', 1],
  [/^temperature \(sensor memory\)/, 'memory_temperature_celsius', 1],
  [
    /^(?:average|current)(?: socket)? (?:graphics )?package power \(w\)|^(?:average|current) socket power \(w\)/,
    'power_watts',
    1,
  ],
  [/^max graphics package power \(w\)/, 'power_limit_watts', 1],
  [/^gpu use \(%\)/, 'utilization_ratio', 0.01],
  [/^gpu memory use \(%\)|^gpu memory read\/write activity \(%\)/, 'memory_utilization_ratio', 0.01],
  [/^gpu memory allocated \(vram%\)/, 'memory_used_ratio', 0.01],
  [/^vram total memory \(b\)/, 'memory_total_bytes', 1],
  [/^vram total used memory \(b\)/, 'memory_used_bytes', 1],
  [/^gtt total memory \(b\)/, 'gtt_total_bytes', 1],
  [/^gtt total used memory \(b\)/, 'gtt_used_bytes', 1],
  [/^fan speed \(%\)/, 'fan_speed_ratio', 0.01],
  [/^fan rpm/, 'fan_speed_rpm', 1],
  [/^sclk clock (?:speed|level)/, 'graphics_clock_hertz', 1e6],
  [/^mclk clock (?:speed|level)/, 'memory_clock_hertz', 1e6],
  [/^pcie replay count/, 'pcie_replay_total', 1],
  [/^voltage \(mv\)/, 'core_voltage_volts', 0.001],
  [/^accumulated energy \(uj\)/, 'energy_joules_total', 1e-6],
];

/** Paths of amd-smi's documents, and the flat titles of its tables and CSV. */
const AMD_RULES: readonly Rule[] = [
  [/(?:^|\.)gfx_activity$|^gfx_util$|^gfx%$|^gfx$/, 'utilization_ratio', 0.01],
  [/(?:^|\.)umc_activity$|^mem_util$|^mem%$/, 'memory_utilization_ratio', 0.01],
  [/(?:^|\.)(?:average_|current_)?socket_power$|^power_usage$|^power$/, 'power_watts', 1],
  [/(?:^|\.)(?:socket_power_limit|max_power|power_limit|power_cap)$/, 'power_limit_watts', 1],
  [/^temperature\.edge$|^edge(?:_temperature)?$/, 'temperature_celsius', 1],
  [/^temperature\.hotspot$|^hotspot(?:_temperature)?$|^gpu_temp$|^gpu_t$/, 'hotspot_temperature_celsius', 1],
  [/^temperature\.mem$|^memory_temperature$|^mem_temp(?:erature)?$|^mem_t$/, 'memory_temperature_celsius', 1],
  [/^clock\.gfx_0\.clk$|^gfx_0_clk$|^gfx_cl(?:k|ock)$/, 'graphics_clock_hertz', 1e6],
  [/^clock\.mem_0\.clk$|^mem_0_clk$|^mem_cl(?:k|ock)$/, 'memory_clock_hertz', 1e6],
  [/(?:^|\.)(?:used_vram|vram_used)$/, 'memory_used_bytes', MIB],
  [/(?:^|\.)(?:total_vram|vram_total)$|^vram\.size$/, 'memory_total_bytes', MIB],
  [/(?:^|\.)(?:free_vram|vram_free)$/, 'memory_free_bytes', MIB],
  [/(?:^|\.)vram_percent$/, 'memory_used_ratio', 0.01],
  [/(?:^|\.)used_gtt$/, 'gtt_used_bytes', MIB],
  [/(?:^|\.)total_gtt$/, 'gtt_total_bytes', MIB],
  [/(?:^|\.)total_energy_consumption$/, 'energy_joules_total', 1],
  [/^fan\.usage$/, 'fan_speed_ratio', 0.01],
  [/^fan\.rpm$|^fan_rpm$/, 'fan_speed_rpm', 1],
  [/^power\.gfx_voltage$|^gfx_voltage$/, 'core_voltage_volts', 0.001],
  [/(?:^|\.)replay_count$|^pcie_replay$/, 'pcie_replay_total', 1],
  [/(?:^|\.)total_correctable_count$|^single_bit_ecc$|^single_ecc$/, 'ecc_corrected_volatile_total', 1],
  [/(?:^|\.)total_uncorrectable_count$|^double_bit_ecc$|^double_ecc$/, 'ecc_uncorrected_volatile_total', 1],
];

/** The number of a clock level alone is no clock; with it stands `8 (1725Mhz)`. */
const LEVEL_KEY = / clock level$/;
const LEVEL = /^\d+:?\s*(\([^()]*\))$/;

const NAME_KEYS = [/^card series$/, /^device name$/, /^market[_ ]name$|\.market_name$/, /^card model$/];
const SERIAL_KEY = /^serial number$|\.asic_serial$/;
const BUS_KEY = /^pci bus$|^bdf$|\.bdf$/;
const UUID_KEY = /^unique id$|^uuid$/;
const DRIVER_KEY = /^driver\.version$/;

const FACTS: readonly (readonly [RegExp, DeviceFact])[] = [
  [/^vbios version$|^vbios\.version$/, 'vbios'],
  [/^gfx version$|\.target_graphics_version$/, 'architecture'],
];

const HOTSPOT = metric('hotspot_temperature_celsius');
const TEMPERATURE = metric('temperature_celsius');

/** Values of one card by the title or path under which they stand. */
export type AmdValues = ReadonlyMap<string, string>;

/** Whether anything is known of a value that stands under this title. */
export function isAmdKey(key: string): boolean {
  return [...ROCM_RULES, ...AMD_RULES].some(([rule]) => rule.test(normalKey(key)));
}

/** True for a title of rocm-smi, which are whole words with their unit. */
export function isRocmKey(key: string): boolean {
  return ROCM_RULES.some(([rule]) => rule.test(normalKey(key)));
}

/** Puts the values of a card into its readings. */
export function readAmdValues(readings: RowReadings, values: AmdValues, line: number): ReadingSet {
  readings.begin(line);
  const keys = [...values].map(([key, written]) => [normalKey(key), written, key] as const);
  for (const [rule, id, scale] of [...ROCM_RULES, ...AMD_RULES]) {
    const target = metric(id);
    for (const [key, written, title] of keys) {
      if (readings.has(target) || !rule.test(key)) continue;
      const value = LEVEL_KEY.test(key) ? LEVEL.exec(written.trim())?.[1] : written;
      if (value !== undefined) readings.text(target, value, scale, title);
    }
  }
  // The largest chips measure no edge: their hotspot is all there is.
  if (!readings.has(TEMPERATURE) && readings.has(HOTSPOT)) readings.copy(HOTSPOT, TEMPERATURE);
  return readings.take();
}

/** Who the card is. `index` is its number among the cards. */
export function amdIdentity(values: AmdValues, index: number): Identity {
  const find = (rule: RegExp): string | null => {
    for (const [key, written] of values) {
      const text = written.trim();
      if (rule.test(normalKey(key)) && text !== '' && !/^n\/a$/i.test(text)) return text;
    }
    return null;
  };
  // An id of PCI is no name.
  const name = NAME_KEYS.map(find).find((found) => found !== null && !/^0x[0-9a-f]+$/i.test(found)) ?? null;
  const facts = FACTS.map(([rule, fact]) => [fact, find(rule)] as const).filter(([, text]) => text !== null);
  const busId = find(BUS_KEY);
  return {
    ...UNKNOWN_IDENTITY,
    uuid: uuidOf(find(UUID_KEY)),
    pciBusId: busId !== null && /^[0-9a-f]{1,8}(?::[0-9a-f]{2}){2}\.[0-9a-f]$/i.test(busId) ? normalBusId(busId) : null,
    serial: find(SERIAL_KEY),
    index,
    name,
    driverVersion: find(DRIVER_KEY),
    vendor: 'amd',
    ...(facts.length === 0 ? {} : { facts: Object.fromEntries(facts) }),
  };
}

/**
 * Partitions of a card have its bus id, serial and unique id: where several devices of a snapshot say the same, only
 * their number tells them apart.
 */
export function toldApart(identities: readonly Identity[]): readonly Identity[] {
  const isUnique = (member: 'uuid' | 'pciBusId', value: string | null): boolean =>
    value !== null && identities.filter((other) => other[member] === value).length === 1;
  return identities.map((identity) => ({
    ...identity,
    uuid: isUnique('uuid', identity.uuid) ? identity.uuid : null,
    pciBusId: isUnique('pciBusId', identity.pciBusId) ? identity.pciBusId : null,
  }));
}

/** The unique id of the kernel in the form it has elsewhere in gpulse; a UUID as it is. */
function uuidOf(written: string | null): string | null {
  const unique = /^0x([0-9a-f]{1,16})$/i.exec(written ?? '')?.[1];
  return unique === undefined ? written : `GPU-${unique.toLowerCase().padStart(16, '0')}`;
}

function normalKey(key: string): string {
  return key.trim().replace(/:$/, '').toLowerCase();
}
