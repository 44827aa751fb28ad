/*
 * The part of NVML's binary interface that the fake library speaks: return codes, and structs with the sizes that the
 * true library reads and writes. The assertions below are what keeps the fake true.
 */
#ifndef FAKE_NVML_ABI_H
#define FAKE_NVML_ABI_H

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum code {
  OK = 0,
  UNINITIALIZED = 1,
  INVALID_ARGUMENT = 2,
  NOT_SUPPORTED = 3,
  NO_PERMISSION = 4,
  NOT_FOUND = 6,
  INSUFFICIENT_SIZE = 7,
  DRIVER_NOT_LOADED = 9,
  TIMEOUT = 10,
  GPU_IS_LOST = 15,
  ARGUMENT_VERSION_MISMATCH = 25,
  UNKNOWN_ERROR = 999,
};

typedef void *device_t;

struct memory_v1 { uint64_t total, free, used; };
struct memory_v2 { uint32_t version, pad; uint64_t total, reserved, free, used; };
struct utilization { uint32_t gpu, memory; };
struct temperature { uint32_t version; int32_t sensor, temperature; };
struct margin { uint32_t version; int32_t margin; };
struct bar1 { uint64_t total, free, used; };
struct fan_speed { uint32_t version, fan, speed; };
struct violation { uint64_t reference_micros, violation_nanos; };
struct ecc_counts { uint64_t l1, l2, memory, registers; };
struct sram_status { uint32_t version, pad; uint64_t counts[11]; uint32_t exceeded, pad2; };
struct histogram { uint32_t max, high, partial, low, none; };
struct addressing { uint32_t version, value; };
struct confidential { uint32_t environment, feature, tools; };
struct fabric_v1 { uint8_t cluster[16]; int32_t status; uint32_t clique; uint8_t state, pad[3]; };
struct fabric_v2 { uint32_t version; uint8_t cluster[16]; int32_t status; uint32_t clique; uint8_t state, pad[3]; uint32_t health; };
struct fabric_v3 { struct fabric_v2 head; uint8_t summary, pad[3]; };

struct pci {
  char legacy_bus_id[16];
  uint32_t domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

struct field_value {
  uint32_t field, scope;
  int64_t timestamp, latency;
  int32_t type, code;
  union { double f64; int32_t i32; uint32_t u32; uint64_t u64; int64_t i64; uint16_t u16; } value;
};

struct process_v1 { uint32_t pid, pad; uint64_t memory; };
struct process_v2 { uint32_t pid, pad; uint64_t memory; uint32_t gpu_instance, compute_instance; };
/* What the v3 calls of drivers 535.43 to 535.86 wrote instead. */
struct process_535 { struct process_v2 head; uint64_t protected_memory; };

struct process_utilization { uint32_t pid, pad; uint64_t timestamp; uint32_t sm, memory, encoder, decoder; };
struct process_utilization_v1 { uint64_t timestamp; uint32_t pid, sm, memory, encoder, decoder, jpeg, ofa, pad; };
struct processes_utilization_v1 { uint32_t version, count; uint64_t since; struct process_utilization_v1 *rows; };

struct sample {
  uint64_t at;
  union { double f64; int32_t i32; uint32_t u32; uint64_t u64; int64_t i64; uint16_t u16; } value;
};

struct gpm_support { uint32_t version, is_supported; };
struct gpm_metric { uint32_t id; int32_t code; double value; const char *short_name, *long_name, *unit; };
struct gpm_metrics { uint32_t version, count; void *older, *newer; struct gpm_metric metrics[333]; };

_Static_assert(sizeof(struct memory_v1) == 24, "nvmlMemory_t");
_Static_assert(sizeof(struct memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(offsetof(struct memory_v2, used) == 32, "nvmlMemory_v2_t.used");
_Static_assert(sizeof(struct utilization) == 8, "nvmlUtilization_t");
_Static_assert(sizeof(struct temperature) == 12, "nvmlTemperature_v1_t");
_Static_assert(sizeof(struct margin) == 8, "nvmlMarginTemperature_v1_t");
_Static_assert(sizeof(struct fan_speed) == 12, "nvmlFanSpeedInfo_v1_t");
_Static_assert(sizeof(struct sram_status) == 104, "nvmlEccSramErrorStatus_v1_t");
_Static_assert(offsetof(struct sram_status, exceeded) == 96, "nvmlEccSramErrorStatus_v1_t.bThresholdExceeded");
_Static_assert(sizeof(struct fabric_v1) == 28, "nvmlGpuFabricInfo_t");
_Static_assert(sizeof(struct fabric_v2) == 36, "nvmlGpuFabricInfo_v2_t");
_Static_assert(sizeof(struct fabric_v3) == 40, "nvmlGpuFabricInfo_v3_t");
_Static_assert(offsetof(struct fabric_v2, state) == 28, "nvmlGpuFabricInfo_v2_t.state");
_Static_assert(sizeof(struct pci) == 68, "nvmlPciInfo_t");
_Static_assert(offsetof(struct pci, bus_id) == 36, "nvmlPciInfo_t.busId");
_Static_assert(sizeof(struct field_value) == 40, "nvmlFieldValue_t");
_Static_assert(offsetof(struct field_value, value) == 32, "nvmlFieldValue_t.value");
_Static_assert(sizeof(struct process_v1) == 16, "nvmlProcessInfo_v1_t");
_Static_assert(sizeof(struct process_v2) == 24, "nvmlProcessInfo_v2_t");
_Static_assert(sizeof(struct process_535) == 32, "nvmlProcessInfo of 535.43");
_Static_assert(sizeof(struct process_utilization) == 32, "nvmlProcessUtilizationSample_t");
_Static_assert(sizeof(struct process_utilization_v1) == 40, "nvmlProcessUtilizationInfo_v1_t");
_Static_assert(sizeof(struct processes_utilization_v1) == 24, "nvmlProcessesUtilizationInfo_v1_t");
_Static_assert(sizeof(struct sample) == 16, "nvmlSample_t");
_Static_assert(sizeof(struct gpm_metric) == 40, "nvmlGpmMetric_t");
_Static_assert(sizeof(struct gpm_metrics) == 13344, "nvmlGpmMetricsGet_t");

/* A version word is the size of the struct and a number in the top byte. */
#define VERSION(type, number) ((uint32_t)sizeof(type) | (uint32_t)(number) << 24)

#endif
