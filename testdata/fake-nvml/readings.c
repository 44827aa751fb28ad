/* Numbers of a device. */
#include "enter.h"

READING(nvmlDeviceGetPowerUsage, uint32_t, POWER)
READING(nvmlDeviceGetEnforcedPowerLimit, uint32_t, POWER_LIMIT)
READING(nvmlDeviceGetPowerManagementLimit, uint32_t, LIMIT_REQUESTED)
READING(nvmlDeviceGetPowerManagementDefaultLimit, uint32_t, LIMIT_DEFAULT)
READING_PAIR(nvmlDeviceGetPowerManagementLimitConstraints, uint32_t, LIMIT_MIN, LIMIT_MAX)
READING(nvmlDeviceGetTotalEnergyConsumption, uint64_t, ENERGY)
READING(nvmlDeviceGetPerformanceState, int32_t, PSTATE)
READING(nvmlDeviceGetPowerState, int32_t, PSTATE)
READING(nvmlDeviceGetCurrentClocksThrottleReasons, uint64_t, REASONS)
READING(nvmlDeviceGetCurrPcieLinkGeneration, uint32_t, LINK_GENERATION)
READING(nvmlDeviceGetCurrPcieLinkWidth, uint32_t, LINK_WIDTH)
READING(nvmlDeviceGetMaxPcieLinkGeneration, uint32_t, LINK_GENERATION_MAX)
READING(nvmlDeviceGetMaxPcieLinkWidth, uint32_t, LINK_WIDTH_MAX)
READING(nvmlDeviceGetPcieReplayCounter, uint32_t, PCIE_REPLAYS)

#ifndef OLD_DRIVER
READING(nvmlDeviceGetCurrentClocksEventReasons, uint64_t, REASONS)
READING(nvmlDeviceGetNumFans, uint32_t, FANS)
READING(nvmlDeviceGetGpuMaxPcieLinkGeneration, uint32_t, LINK_GENERATION_DEVICE)
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

#ifndef OLD_DRIVER
EXPORT int nvmlDeviceGetJpgUtilization(device_t device, uint32_t *percent, uint32_t *period) { DEVICE(device); return engine(gpu, JPEG, percent, period); }
EXPORT int nvmlDeviceGetOfaUtilization(device_t device, uint32_t *percent, uint32_t *period) { DEVICE(device); return engine(gpu, OFA, percent, period); }
#endif

EXPORT int nvmlDeviceGetBAR1MemoryInfo(device_t device, struct bar1 *out) {
  DEVICE(device);
  CHECK(out);
  VALUE(total, BAR1_TOTAL);
  uint64_t used = (uint64_t)gpu->values[BAR1_USED];
  *out = (struct bar1){(uint64_t)total, (uint64_t)total - used, used};
  return OK;
}

EXPORT int nvmlDeviceGetMemoryInfo(device_t device, struct memory_v1 *out) {
  DEVICE(device);
  CHECK(out);
  uint64_t part, taken;
  if (instance_memory(state, device, &part, &taken)) {
    *out = (struct memory_v1){part, part - taken, taken};
    return OK;
  }
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
  if (threshold > 3) return NOT_SUPPORTED;
  static const enum key THRESHOLDS[] = {SHUTDOWN, SLOWDOWN, MEMORY_MAX_TEMPERATURE, GPU_MAX_TEMPERATURE};
  VALUE(value, THRESHOLDS[threshold]);
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

#ifndef OLD_DRIVER
EXPORT int nvmlDeviceGetFanSpeedRPM(device_t device, struct fan_speed *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct fan_speed, 1)) return ARGUMENT_VERSION_MISMATCH;
  if (out->fan >= gpu->values[FANS] || out->fan > 3) return INVALID_ARGUMENT;
  VALUE(value, RPM + out->fan);
  out->speed = (uint32_t)value;
  return OK;
}
#endif

static int clock_of(const struct gpu *gpu, int type, enum key first, uint32_t *out) {
  CHECK(out);
  if (type < 0 || type > 3) return INVALID_ARGUMENT;
  VALUE(value, first + type);
  *out = (uint32_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetClockInfo(device_t device, int type, uint32_t *out) { DEVICE(device); return clock_of(gpu, type, GRAPHICS_CLOCK, out); }
EXPORT int nvmlDeviceGetMaxClockInfo(device_t device, int type, uint32_t *out) { DEVICE(device); return clock_of(gpu, type, GRAPHICS_CLOCK_MAX, out); }

/* Only graphics and memory clocks can be set. */
static int application_clock(const struct gpu *gpu, int type, enum key graphics, enum key memory, uint32_t *out) {
  CHECK(out);
  if (type < 0 || type > 3) return INVALID_ARGUMENT;
  if (type != 0 && type != 2) return NOT_SUPPORTED;
  VALUE(value, type == 0 ? graphics : memory);
  *out = (uint32_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetApplicationsClock(device_t device, int type, uint32_t *out) {
  DEVICE(device);
  return application_clock(gpu, type, APPLICATION_GRAPHICS, APPLICATION_MEMORY, out);
}
EXPORT int nvmlDeviceGetDefaultApplicationsClock(device_t device, int type, uint32_t *out) {
  DEVICE(device);
  return application_clock(gpu, type, APPLICATION_GRAPHICS_DEFAULT, APPLICATION_MEMORY_DEFAULT, out);
}

EXPORT int nvmlDeviceGetViolationStatus(device_t device, int policy, struct violation *out) {
  DEVICE(device);
  CHECK(out);
  if (policy < 0 || policy > 11) return INVALID_ARGUMENT;
  if (policy > 5 && policy < 10) return NOT_SUPPORTED;
  VALUE(nanos, HELD_POWER + (policy < 6 ? policy : policy - 4));
  *out = (struct violation){1800000000000000, (uint64_t)nanos};
  return OK;
}

EXPORT int nvmlDeviceGetPcieThroughput(device_t device, int counter, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  if (counter < 0 || counter > 1) return INVALID_ARGUMENT;
  VALUE(rate, PCIE_TX + counter);
  *out = (uint32_t)(rate / 1000);
  return OK;
}

#ifndef OLD_DRIVER
EXPORT int nvmlDeviceGetMemoryInfo_v2(device_t device, struct memory_v2 *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct memory_v2, 2)) return ARGUMENT_VERSION_MISMATCH;
  uint64_t part, taken;
  if (instance_memory(state, device, &part, &taken)) {
    *out = (struct memory_v2){out->version, 0, part, 0, part - taken, taken};
    return OK;
  }
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
