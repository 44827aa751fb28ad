/* Numbers of a device. */
#include <string.h>
#include <time.h>

#include "enter.h"

#define READING(function, type, key)               \
  EXPORT int function(device_t device, type *out) { \
    DEVICE(device);                                \
    CHECK(out);                                    \
    VALUE(value, key);                             \
    *out = (type)value;                            \
    return OK;                                     \
  }

READING(nvmlDeviceGetPowerUsage, uint32_t, POWER)
READING(nvmlDeviceGetEnforcedPowerLimit, uint32_t, POWER_LIMIT)
READING(nvmlDeviceGetPowerManagementLimit, uint32_t, POWER_LIMIT)
READING(nvmlDeviceGetPowerManagementDefaultLimit, uint32_t, POWER_LIMIT)
READING(nvmlDeviceGetTotalEnergyConsumption, uint64_t, ENERGY)
READING(nvmlDeviceGetPerformanceState, int32_t, PSTATE)
READING(nvmlDeviceGetPowerState, int32_t, PSTATE)
READING(nvmlDeviceGetCurrentClocksThrottleReasons, uint64_t, REASONS)
READING(nvmlDeviceGetCurrPcieLinkGeneration, uint32_t, LINK_GENERATION)
READING(nvmlDeviceGetCurrPcieLinkWidth, uint32_t, LINK_WIDTH)
READING(nvmlDeviceGetMaxPcieLinkGeneration, uint32_t, LINK_GENERATION_MAX)
READING(nvmlDeviceGetMaxPcieLinkWidth, uint32_t, LINK_WIDTH_MAX)

#ifndef OLD_DRIVER
READING(nvmlDeviceGetCurrentClocksEventReasons, uint64_t, REASONS)
READING(nvmlDeviceGetNumFans, uint32_t, FANS)
#endif

EXPORT int nvmlDeviceGetUtilizationRates(device_t device, struct utilization *out) {
  DEVICE(device);
  CHECK(out);
  if (gpu->values[MIG]) return NOT_SUPPORTED;
  VALUE(busy, UTILIZATION);
  *out = (struct utilization){(uint32_t)busy, (uint32_t)gpu->values[MEMORY_UTILIZATION]};
  return OK;
}

static int engine(const struct gpu *gpu, enum key key, uint32_t *percent, uint32_t *period) {
  CHECK(percent);
  CHECK(period);
  if (gpu->values[MIG]) return NOT_SUPPORTED;
  VALUE(value, key);
  *percent = (uint32_t)value;
  *period = 166000;
  return OK;
}

EXPORT int nvmlDeviceGetEncoderUtilization(device_t device, uint32_t *percent, uint32_t *period) { DEVICE(device); return engine(gpu, ENCODER, percent, period); }
EXPORT int nvmlDeviceGetDecoderUtilization(device_t device, uint32_t *percent, uint32_t *period) { DEVICE(device); return engine(gpu, DECODER, percent, period); }

EXPORT int nvmlDeviceGetMemoryInfo(device_t device, struct memory_v1 *out) {
  DEVICE(device);
  CHECK(out);
  VALUE(total, MEMORY_TOTAL);
  uint64_t used = (uint64_t)(gpu->values[MEMORY_USED] + gpu->values[MEMORY_RESERVED]);
  *out = (struct memory_v1){(uint64_t)total, (uint64_t)total - used, used};
  return OK;
}

EXPORT int nvmlDeviceGetTemperature(device_t device, int sensor, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  if (sensor != 0) return INVALID_ARGUMENT;
  VALUE(value, TEMPERATURE);
  *out = (uint32_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetTemperatureThreshold(device_t device, int threshold, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  if (threshold < 0 || threshold > 7) return INVALID_ARGUMENT;
  if (threshold != 1) return NOT_SUPPORTED;
  VALUE(value, SLOWDOWN);
  *out = (uint32_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetFanSpeed(device_t device, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  if (gpu->values[FANS] == 0) return NOT_SUPPORTED;
  VALUE(value, FAN);
  *out = (uint32_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetFanSpeed_v2(device_t device, uint32_t fan, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  if (fan >= gpu->values[FANS] || fan > 3) return INVALID_ARGUMENT;
  VALUE(value, FAN + fan);
  *out = (uint32_t)value;
  return OK;
}

static int clock_of(const struct gpu *gpu, int type, enum key first, uint32_t *out) {
  CHECK(out);
  if (type < 0 || type > 3) return INVALID_ARGUMENT;
  VALUE(value, first + type);
  *out = (uint32_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetClockInfo(device_t device, int type, uint32_t *out) { DEVICE(device); return clock_of(gpu, type, GRAPHICS_CLOCK, out); }
EXPORT int nvmlDeviceGetMaxClockInfo(device_t device, int type, uint32_t *out) { DEVICE(device); return clock_of(gpu, type, GRAPHICS_CLOCK_MAX, out); }

EXPORT int nvmlDeviceGetPcieThroughput(device_t device, int counter, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  if (counter < 0 || counter > 1) return INVALID_ARGUMENT;
  VALUE(rate, PCIE_TX + counter);
  *out = (uint32_t)(rate / 1000);
  return OK;
}

EXPORT int nvmlDeviceGetTotalEccErrors(device_t device, int error, int counter, uint64_t *out) {
  DEVICE(device);
  CHECK(out);
  if (error < 0 || error > 1 || counter < 0 || counter > 1) return INVALID_ARGUMENT;
  VALUE(value, ECC_CORRECTED + error + 2 * counter);
  *out = (uint64_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetMigMode(device_t device, uint32_t *current, uint32_t *pending) {
  DEVICE(device);
  CHECK(current);
  CHECK(pending);
  VALUE(mode, MIG);
  *current = *pending = (uint32_t)mode;
  return OK;
}

#ifndef OLD_DRIVER
EXPORT int nvmlDeviceGetMemoryInfo_v2(device_t device, struct memory_v2 *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct memory_v2, 2)) return ARGUMENT_VERSION_MISMATCH;
  VALUE(total, MEMORY_TOTAL);
  uint64_t used = (uint64_t)gpu->values[MEMORY_USED], reserved = (uint64_t)gpu->values[MEMORY_RESERVED];
  *out = (struct memory_v2){out->version, 0, (uint64_t)total, reserved, (uint64_t)total - used - reserved, used};
  return OK;
}

EXPORT int nvmlDeviceGetTemperatureV(device_t device, struct temperature *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct temperature, 1)) return ARGUMENT_VERSION_MISMATCH;
  if (out->sensor != 0) return INVALID_ARGUMENT;
  VALUE(value, TEMPERATURE);
  out->temperature = (int32_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetMarginTemperature(device_t device, struct margin *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct margin, 1)) return ARGUMENT_VERSION_MISMATCH;
  VALUE(value, MARGIN);
  out->margin = (int32_t)value;
  return OK;
}
#endif

#ifndef OLD_DRIVER
/* A counter that grows at the scripted rate from its base, in true time. */
static int pcie_bytes(const struct gpu *gpu, int direction, struct field_value *field) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  VALUE(rate, PCIE_TX + direction);
  double seconds = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
  field->type = 3;
  field->value.u64 = (uint64_t)(gpu->values[PCIE_TX_BASE + direction] + (int64_t)(seconds * (double)rate));
  return OK;
}
#endif

static int field_of(const struct gpu *gpu, enum key key, int type, struct field_value *field) {
  VALUE(value, key);
  field->type = type;
  field->value.u64 = type == 3 ? (uint64_t)value : (uint32_t)value;
  return OK;
}

static int read_field(const struct gpu *gpu, struct field_value *field) {
  switch (field->field) {
    case 3: case 4: case 5: case 6: return field_of(gpu, ECC_CORRECTED + field->field - 3, 3, field);
    case 82: return field_of(gpu, MEMORY_TEMPERATURE, 1, field);
    case 83: return field_of(gpu, ENERGY, 3, field);
#ifndef OLD_DRIVER
    case 185: case 186: return field_of(gpu, POWER, 1, field);
    case 190: return field_of(gpu, POWER_LIMIT, 1, field);
    case 197: case 198: return pcie_bytes(gpu, (int)field->field - 197, field);
    default: return NOT_SUPPORTED;
#else
    default: return INVALID_ARGUMENT;
#endif
  }
}

EXPORT int nvmlDeviceGetFieldValues(device_t device, int count, struct field_value *fields) {
  DEVICE(device);
  if (count <= 0 || fields == NULL) return INVALID_ARGUMENT;
  for (int i = 0; i < count; i++) {
    int code = field_rule(state, index_of_gpu(state, gpu), fields[i].field);
    fields[i].code = code != OK ? code : read_field(gpu, &fields[i]);
  }
  return OK;
}
