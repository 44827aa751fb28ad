/*
 * Numbers of a board beyond the everyday ones: KEY(name in C, name in the script, default). The defaults are those of an
 * H100 with everything that any driver reports for it; what such a board does not have is unsupported.
 */
KEY(JPEG, "jpeg", 3) KEY(OFA, "ofa", 4)
KEY(BAR1_TOTAL, "bar1-total", 137438953472) KEY(BAR1_USED, "bar1-used", 18874368)
KEY(SHUTDOWN, "shutdown", 92) KEY(MEMORY_MAX_TEMPERATURE, "memory-max-temperature", 95) KEY(GPU_MAX_TEMPERATURE, "gpu-max-temperature", 85)
KEY(MARGIN_SHUTDOWN, "margin-shutdown", -8) KEY(MARGIN_SLOWDOWN, "margin-slowdown", -2)
KEY(MARGIN_MEMORY_MAX, "margin-memory-max", 0) KEY(MARGIN_GPU_MAX, "margin-gpu-max", 0)
KEY(RPM, "rpm", 2100) KEY(RPM1, "rpm1", 0) KEY(RPM2, "rpm2", 0) KEY(RPM3, "rpm3", 0)
KEY(POWER_AVERAGE, "power-average", 234000) KEY(POWER_INSTANT, "power-instant", 241000)
KEY(LIMIT_MIN, "limit-min", 200000) KEY(LIMIT_MAX, "limit-max", 700000) KEY(LIMIT_DEFAULT, "limit-default", 700000)
KEY(LIMIT_REQUESTED, "limit-requested", 700000)
KEY(APPLICATION_GRAPHICS, "application-graphics", 1755) KEY(APPLICATION_MEMORY, "application-memory", 2619)
KEY(APPLICATION_GRAPHICS_DEFAULT, "application-graphics-default", 1755) KEY(APPLICATION_MEMORY_DEFAULT, "application-memory-default", 2619)
/* Nanoseconds, in the order of the fields 74 to 81, then 269 to 271. */
KEY(HELD_POWER, "held-power", 1000000000) KEY(HELD_HEAT, "held-heat", 2000000000) KEY(HELD_SYNC, "held-sync", 3000000000)
KEY(HELD_BOARD, "held-board", 4000000000) KEY(HELD_IDLE, "held-idle", 5000000000) KEY(HELD_RELIABILITY, "held-reliability", 6000000000)
KEY(BELOW_APPLICATION, "below-application", 7000000000) KEY(BELOW_BASE, "below-base", 8000000000)
KEY(SLOWED_SOFTWARE, "slowed-software", 9000000000) KEY(SLOWED_HARDWARE, "slowed-hardware", 10000000000) KEY(SLOWED_BRAKE, "slowed-brake", 11000000000)
KEY(LINK_GENERATION_DEVICE, "link-generation-device", 5)
KEY(PCIE_REPLAYS, "pcie-replays", 7) KEY(PCIE_RECOVERIES, "pcie-recoveries", 1) KEY(PCIE_CORRECTABLE, "pcie-correctable", 2)
KEY(PCIE_NON_FATAL, "pcie-non-fatal", 0) KEY(PCIE_FATAL, "pcie-fatal", 0)
KEY(ECC_MODE, "ecc-mode", 1) KEY(ECC_MODE_PENDING, "ecc-mode-pending", 1)
/* Errors of a place in the order of its locations: N corrected since the driver was loaded, N + 1 uncorrected, the same for life + 2. */
KEY(ECC_L1, "ecc-l1", UNSUPPORTED) KEY(ECC_L2, "ecc-l2", UNSUPPORTED) KEY(ECC_DRAM, "ecc-dram", 10) KEY(ECC_REGISTERS, "ecc-registers", UNSUPPORTED)
KEY(ECC_TEXTURE, "ecc-texture", UNSUPPORTED) KEY(ECC_SHARED, "ecc-shared", UNSUPPORTED) KEY(ECC_CBU, "ecc-cbu", UNSUPPORTED) KEY(ECC_SRAM, "ecc-sram", 20)
/* The counters of the status of the SRAM are N, N + 1 and so on, in the order of the struct. */
KEY(SRAM_STATUS, "sram-status", 30) KEY(SRAM_EXCEEDED, "sram-exceeded", 0)
KEY(RETIRED_CORRECTED, "retired-corrected", UNSUPPORTED) KEY(RETIRED_UNCORRECTED, "retired-uncorrected", UNSUPPORTED) KEY(RETIRED_PENDING, "retired-pending", UNSUPPORTED)
KEY(REMAPPED_CORRECTABLE, "remapped-correctable", 1) KEY(REMAPPED_UNCORRECTABLE, "remapped-uncorrectable", 2)
KEY(REMAPPED_PENDING, "remapped-pending", 0) KEY(REMAPPED_FAILURE, "remapped-failure", 0)
KEY(BANKS_MAX, "banks-max", 2558) KEY(BANKS_HIGH, "banks-high", 2) KEY(BANKS_PARTIAL, "banks-partial", 0) KEY(BANKS_LOW, "banks-low", 0) KEY(BANKS_NONE, "banks-none", 0)
/* Ports 0 to N - 1 exist; `nvlink-down` is a bit set of those that are inactive, `nvlink-peer` the card at the other end of all, or -1 for a switch. */
KEY(NVLINKS, "nvlinks", 18) KEY(NVLINK_COUNT, "nvlink-count", -1) KEY(NVLINK_DOWN, "nvlink-down", 0) KEY(NVLINK_PEER, "nvlink-peer", -1)
KEY(NVLINK_CRC, "nvlink-crc", 0) KEY(NVLINK_REPLAY, "nvlink-replay", 0) KEY(NVLINK_RECOVERY, "nvlink-recovery", 0)
KEY(NVLINK_CRC_FLIT, "nvlink-crc-flit", 5) KEY(NVLINK_CRC_DATA, "nvlink-crc-data", 6)
/* Bytes per second over all ports; the generation decides which fields count them. */
KEY(NVLINK_TX, "nvlink-tx", 4000000000) KEY(NVLINK_RX, "nvlink-rx", 3000000000) KEY(NVLINK_GENERATION, "nvlink-generation", 4)
KEY(FABRIC_STATE, "fabric-state", 3) KEY(FABRIC_STATUS, "fabric-status", 0) KEY(FABRIC_HEALTH, "fabric-health", 0x1aa) KEY(FABRIC_SUMMARY, "fabric-summary", 1)
KEY(COMPUTE_MODE, "compute-mode", 0) KEY(PERSISTENCE, "persistence", 1) KEY(DISPLAY, "display", 0) KEY(MIG_PENDING, "mig-pending", -1)
KEY(ADDRESSING, "addressing", 0) KEY(CONFIDENTIAL, "confidential", 0) KEY(RECOVERY_ACTION, "recovery-action", 0) KEY(DRIVER_MODEL, "driver-model", UNSUPPORTED)
KEY(ARCHITECTURE, "architecture", 9) KEY(BRAND, "brand", 14) KEY(CAPABILITY, "capability", 90) KEY(BOARD_ID, "board-id", 0x700) KEY(CUDA, "cuda", 12080)
/* Cards of one number share a bridge, those of one socket a CPU. Reading another card's memory: nvmlGpuP2PStatus_t. */
KEY(BRIDGE, "bridge", -1) KEY(SOCKET, "socket", 0) KEY(PEER_READ, "peer-read", 0)
