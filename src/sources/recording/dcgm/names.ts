/** What DCGM itself calls a field: `DCGM_FI_` and the first is its name, then its tag, and the title of its column. */
type FieldNames = readonly [field: string, tag: string, column: string];

/**
 * Tags and column titles of the fields that mean a metric of the catalogue. `dcgmi dmon` prints titles; exporters and
 * logs made with the library write tags.
 */
const NAMES: readonly FieldNames[] = [
  ['DEV_SM_CLOCK', 'sm_clock', 'SMCLK'],
  ['DEV_MEM_CLOCK', 'memory_clock', 'MMCLK'],
  ['DEV_VIDEO_CLOCK', 'video_clock', 'VICLK'],
  ['DEV_APP_SM_CLOCK', 'sm_app_clock', 'SACLK'],
  ['DEV_APP_MEM_CLOCK', 'mem_app_clock', 'MACLK'],
  ['DEV_CLOCKS_EVENT_REASONS', 'current_clock_throttle_reasons', 'DVCCTR'],
  ['DEV_MAX_SM_CLOCK', 'sm_max_clock', 'SMMAX'],
  ['DEV_MAX_MEM_CLOCK', 'memory_max_clock', 'MMMAX'],
  ['DEV_MAX_VIDEO_CLOCK', 'video_max_clock', 'VIMAX'],
  ['DEV_MEMORY_TEMP', 'memory_temp', 'MMTMP'],
  ['DEV_GPU_TEMP', 'gpu_temp', 'TMPTR'],
  ['DEV_MEM_MAX_OP_TEMP', 'gpu_mem_max_op_temp', 'GMMOT'],
  ['DEV_GPU_MAX_OP_TEMP', 'gpu_max_op_temp', 'GGMOT'],
  ['DEV_SLOWDOWN_TEMP', 'slowdown_temp', 'SDTMP'],
  ['DEV_SHUTDOWN_TEMP', 'shutdown_temp', 'SHTMP'],
  ['DEV_POWER_MGMT_LIMIT', 'power_management_limit', 'PMLMT'],
  ['DEV_POWER_MGMT_LIMIT_MIN', 'power_management_limit_min', 'PMMIN'],
  ['DEV_POWER_MGMT_LIMIT_MAX', 'power_management_limit_max', 'PMMAX'],
  ['DEV_POWER_MGMT_LIMIT_DEF', 'power_management_limit_default', 'PMDEF'],
  ['DEV_POWER_USAGE', 'power_usage', 'POWER'],
  ['DEV_POWER_USAGE_INSTANT', 'power_usage_instant', 'POWINST'],
  ['DEV_TOTAL_ENERGY_CONSUMPTION', 'total_energy_consumption', 'TOTEC'],
  ['DEV_ENFORCED_POWER_LIMIT', 'enforced_power_limit', 'EPLMT'],
  ['DEV_PSTATE', 'pstate', 'PSTAT'],
  ['DEV_FAN_SPEED', 'fan_speed', 'FANSP'],
  ['DEV_COMPUTE_MODE', 'compute_mode', 'CMMOD'],
  ['DEV_PERSISTENCE_MODE', 'persistance_mode', 'PMMOD'],
  ['DEV_MIG_MODE', 'mig_mode', 'MGMOD'],
  ['DEV_CC_MODE', 'cc_mode', 'CCMOD'],
  ['DEV_ECC_CURRENT', 'ecc', 'ECCUR'],
  ['DEV_ECC_PENDING', 'ecc_pending', 'ECPEN'],
  ['DEV_ECC_SBE_VOL_TOTAL', 'ecc_sbe_volatile_total', 'ESVTL'],
  ['DEV_ECC_DBE_VOL_TOTAL', 'ecc_dbe_volatile_total', 'EDVTL'],
  ['DEV_ECC_SBE_AGG_TOTAL', 'ecc_sbe_aggregate_total', 'ESATL'],
  ['DEV_ECC_DBE_AGG_TOTAL', 'ecc_dbe_aggregate_total', 'EDATL'],
  ['DEV_ECC_SBE_VOL_L1', 'ecc_sbe_volatile_l1', 'ESVL1'],
  ['DEV_ECC_DBE_VOL_L1', 'ecc_dbe_volatile_l1', 'EDVL1'],
  ['DEV_ECC_SBE_VOL_L2', 'ecc_sbe_volatile_l2', 'ESVL2'],
  ['DEV_ECC_DBE_VOL_L2', 'ecc_dbe_volatile_l2', 'EDVL2'],
  ['DEV_ECC_SBE_VOL_DEV', 'ecc_sbe_volatile_device', 'ESVDV'],
  ['DEV_ECC_DBE_VOL_DEV', 'ecc_dbe_volatile_device', 'EDVDV'],
  ['DEV_ECC_SBE_VOL_REG', 'ecc_sbe_volatile_register', 'ESVRG'],
  ['DEV_ECC_DBE_VOL_REG', 'ecc_dbe_volatile_register', 'EDVRG'],
  ['DEV_ECC_SBE_VOL_TEX', 'ecc_sbe_volatile_texture', 'ESVTX'],
  ['DEV_ECC_DBE_VOL_TEX', 'ecc_dbe_volatile_texture', 'EDVTX'],
  ['DEV_ECC_SBE_AGG_L1', 'ecc_sbe_aggregate_l1', 'ESAL1'],
  ['DEV_ECC_DBE_AGG_L1', 'ecc_dbe_aggregate_l1', 'EDAL1'],
  ['DEV_ECC_SBE_AGG_L2', 'ecc_sbe_aggregate_l2', 'ESAL2'],
  ['DEV_ECC_DBE_AGG_L2', 'ecc_dbe_aggregate_l2', 'EDAL2'],
  ['DEV_ECC_SBE_AGG_DEV', 'ecc_sbe_aggregate_device', 'ESADV'],
  ['DEV_ECC_DBE_AGG_DEV', 'ecc_dbe_aggregate_device', 'EDADV'],
  ['DEV_ECC_SBE_AGG_REG', 'ecc_sbe_aggregate_register', 'ESARG'],
  ['DEV_ECC_DBE_AGG_REG', 'ecc_dbe_aggregate_register', 'EDARG'],
  ['DEV_ECC_SBE_AGG_TEX', 'ecc_sbe_aggregate_texture', 'ESATX'],
  ['DEV_ECC_DBE_AGG_TEX', 'ecc_dbe_aggregate_texture', 'EDATX'],
  ['DEV_PCIE_TX_THROUGHPUT', 'pcie_tx_throughput', 'TXTPT'],
  ['DEV_PCIE_RX_THROUGHPUT', 'pcie_rx_throughput', 'RXTPT'],
  ['DEV_PCIE_REPLAY_COUNTER', 'pcie_replay_counter', 'RPCTR'],
  ['DEV_GPU_UTIL', 'gpu_utilization', 'GPUTL'],
  ['DEV_MEM_COPY_UTIL', 'mem_copy_utilization', 'MCUTL'],
  ['DEV_ENC_UTIL', 'enc_utilization', 'ECUTL'],
  ['DEV_DEC_UTIL', 'dec_utilization', 'DCUTL'],
  ['DEV_XID_ERRORS', 'xid_errors', 'XIDER'],
  ['DEV_PCIE_MAX_LINK_GEN', 'pcie_max_link_gen', 'PCIMG'],
  ['DEV_PCIE_MAX_LINK_WIDTH', 'pcie_max_link_width', 'PCIMW'],
  ['DEV_PCIE_LINK_GEN', 'pcie_link_gen', 'PCILG'],
  ['DEV_PCIE_LINK_WIDTH', 'pcie_link_width', 'PCILW'],
  ['DEV_POWER_VIOLATION', 'power_violation', 'PVIOL'],
  ['DEV_THERMAL_VIOLATION', 'thermal_violation', 'TVIOL'],
  ['DEV_SYNC_BOOST_VIOLATION', 'sync_boost_violation', 'SBVIO'],
  ['DEV_BOARD_LIMIT_VIOLATION', 'board_limit_violation', 'BLVIO'],
  ['DEV_LOW_UTIL_VIOLATION', 'low_util_violation', 'LUVIO'],
  ['DEV_RELIABILITY_VIOLATION', 'reliability_violation', 'RVIOL'],
  ['DEV_TOTAL_APP_CLOCKS_VIOLATION', 'app_clock_violation', 'TAPCV'],
  ['DEV_TOTAL_BASE_CLOCKS_VIOLATION', 'base_clock_violation', 'TAPBC'],
  ['DEV_BAR1_TOTAL', 'bar1_total', 'B1TTL'],
  ['DEV_BAR1_USED', 'bar1_used', 'B1USE'],
  ['DEV_BAR1_FREE', 'bar1_free', 'B1FRE'],
  ['DEV_FB_TOTAL', 'fb_total', 'FBTTL'],
  ['DEV_FB_FREE', 'fb_free', 'FBFRE'],
  ['DEV_FB_USED', 'fb_used', 'FBUSD'],
  ['DEV_FB_RESERVED', 'fb_resv', 'FBRSV'],
  ['DEV_FB_USED_PERCENT', 'fb_USDP', 'FBUSP'],
  ['DEV_RETIRED_SBE', 'retired_pages_sbe', 'RPSBE'],
  ['DEV_RETIRED_DBE', 'retired_pages_dbe', 'RPDBE'],
  ['DEV_RETIRED_PENDING', 'retired_pages_pending', 'RPPEN'],
  ['DEV_UNCORRECTABLE_REMAPPED_ROWS', 'uncorrectable_remapped_rows', 'URMPS'],
  ['DEV_CORRECTABLE_REMAPPED_ROWS', 'correctable_remapped_rows', 'CRMPS'],
  ['DEV_ROW_REMAP_FAILURE', 'row_remap_failure', 'RRF'],
  ['DEV_ROW_REMAP_PENDING', 'row_remap_pending', 'RRP'],
  ['PROF_GR_ENGINE_ACTIVE', 'gr_engine_active', 'GRACT'],
  ['PROF_SM_ACTIVE', 'sm_active', 'SMACT'],
  ['PROF_SM_OCCUPANCY', 'sm_occupancy', 'SMOCC'],
  ['PROF_PIPE_TENSOR_ACTIVE', 'tensor_active', 'TENSO'],
  ['PROF_DRAM_ACTIVE', 'dram_active', 'DRAMA'],
  ['PROF_PIPE_FP64_ACTIVE', 'fp64_active', 'FP64A'],
  ['PROF_PIPE_FP32_ACTIVE', 'fp32_active', 'FP32A'],
  ['PROF_PIPE_FP16_ACTIVE', 'fp16_active', 'FP16A'],
  ['PROF_PCIE_TX_BYTES', 'pcie_tx_bytes', 'PCITX'],
  ['PROF_PCIE_RX_BYTES', 'pcie_rx_bytes', 'PCIRX'],
  ['PROF_NVLINK_TX_BYTES', 'nvlink_tx_bytes', 'NVLTX'],
  ['PROF_NVLINK_RX_BYTES', 'nvlink_rx_bytes', 'NVLRX'],
  ['PROF_PIPE_TENSOR_IMMA_ACTIVE', 'tensor_imma_active', 'TIMMA'],
  ['PROF_PIPE_TENSOR_HMMA_ACTIVE', 'tensor_hmma_active', 'THMMA'],
  ['PROF_PIPE_TENSOR_DFMA_ACTIVE', 'tensor_dfma_active', 'TDFMA'],
  ['PROF_PIPE_INT_ACTIVE', 'integer_active', 'INTAC'],
];

/** Other names that the same field has or had in the library, old ones and those of DCGM 4.6 and later. */
const RENAMED: Readonly<Record<string, string>> = {
  DEV_CLOCK_THROTTLE_REASONS: 'DEV_CLOCKS_EVENT_REASONS',
  DEV_GPU_TEMP_CELSIUS: 'DEV_GPU_TEMP',
  DEV_MEMORY_TEMP_CELSIUS: 'DEV_MEMORY_TEMP',
  DEV_GPU_TEMP_SLOWDOWN_CELSIUS: 'DEV_SLOWDOWN_TEMP',
  DEV_BOARD_POWER_WATTS: 'DEV_POWER_USAGE',
  DEV_BOARD_POWER_RAW_WATTS: 'DEV_POWER_USAGE_INSTANT',
  DEV_GPU_PSTATE: 'DEV_PSTATE',
  DEV_XID_ERROR: 'DEV_XID_ERRORS',
  DEV_PCIE_REPLAY_TOTAL: 'DEV_PCIE_REPLAY_COUNTER',
  DEV_ROW_REMAP_CORRECTABLE_TOTAL: 'DEV_CORRECTABLE_REMAPPED_ROWS',
  DEV_ROW_REMAP_UNCORRECTABLE_TOTAL: 'DEV_UNCORRECTABLE_REMAPPED_ROWS',
  DEV_ROW_REMAP_FAILED: 'DEV_ROW_REMAP_FAILURE',
  DEV_PAGE_RETIRED_PENDING: 'DEV_RETIRED_PENDING',
  DEV_PAGE_RETIRED_SBE_TOTAL: 'DEV_RETIRED_SBE',
  DEV_PAGE_RETIRED_DBE_TOTAL: 'DEV_RETIRED_DBE',
  PROF_GR_ENGINE_UTIL_RATIO: 'PROF_GR_ENGINE_ACTIVE',
  PROF_SM_UTIL_RATIO: 'PROF_SM_ACTIVE',
  PROF_SM_OCCUPANCY_RATIO: 'PROF_SM_OCCUPANCY',
  PROF_TENSOR_UTIL_RATIO: 'PROF_PIPE_TENSOR_ACTIVE',
  PROF_DRAM_UTIL_RATIO: 'PROF_DRAM_ACTIVE',
};

const PREFIX = 'DCGM_FI_';

const BY_TAG: ReadonlyMap<string, string> = new Map(NAMES.map(([field, tag]) => [tag.toLowerCase(), PREFIX + field]));
const BY_COLUMN: ReadonlyMap<string, string> = new Map(NAMES.map(([field, , column]) => [column, PREFIX + field]));

/** Full name of the field that has this tag, such as `gpu_utilization`; undefined for one without a metric. */
export function fieldOfTag(tag: string): string | undefined {
  return BY_TAG.get(tag.toLowerCase());
}

/** Full name of the field whose values stand under this title in `dcgmi dmon`. */
export function fieldOfColumn(title: string): string | undefined {
  return BY_COLUMN.get(title.toUpperCase());
}

/** The name by which the catalogue knows a field. */
export function currentName(field: string): string {
  const renamed = field.startsWith(PREFIX) ? RENAMED[field.slice(PREFIX.length)] : undefined;
  return renamed === undefined ? field : PREFIX + renamed;
}
