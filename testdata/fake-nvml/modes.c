/* How a device is set up, the fabric it belongs to, and what is known of it. */
#include <string.h>

#include "enter.h"

READING(nvmlDeviceGetComputeMode, uint32_t, COMPUTE_MODE)
READING(nvmlDeviceGetPersistenceMode, uint32_t, PERSISTENCE)
READING(nvmlDeviceGetDisplayActive, uint32_t, DISPLAY)
READING(nvmlDeviceGetBrand, uint32_t, BRAND)
READING(nvmlDeviceGetBoardId, uint32_t, BOARD_ID)
READING_PAIR(nvmlDeviceGetDriverModel, uint32_t, DRIVER_MODEL, DRIVER_MODEL)

EXPORT int nvmlDeviceGetMigMode(device_t device, uint32_t *current, uint32_t *pending) {
  DEVICE(device);
  CHECK(current);
  CHECK(pending);
  VALUE(mode, MIG);
  int64_t next = gpu->values[MIG_PENDING];
  *current = (uint32_t)mode;
  *pending = (uint32_t)(next < 0 ? mode : next);
  return OK;
}

EXPORT int nvmlDeviceGetCudaComputeCapability(device_t device, int *major, int *minor) {
  DEVICE(device);
  CHECK(major);
  CHECK(minor);
  VALUE(capability, CAPABILITY);
  *major = (int)capability / 10;
  *minor = (int)capability % 10;
  return OK;
}

static int copy_text(char *out, uint32_t length, const char *text) {
  CHECK(out);
  if (strlen(text) + 1 > length) return INSUFFICIENT_SIZE;
  strcpy(out, text);
  return OK;
}

EXPORT int nvmlDeviceGetVbiosVersion(device_t device, char *out, uint32_t length) { DEVICE(device); return copy_text(out, length, "96.00.A5.00.01"); }
EXPORT int nvmlDeviceGetBoardPartNumber(device_t device, char *out, uint32_t length) { DEVICE(device); return copy_text(out, length, "900-21010-0000-000"); }
EXPORT int nvmlDeviceGetInforomImageVersion(device_t device, char *out, uint32_t length) { DEVICE(device); return copy_text(out, length, "G520.0200.00.05"); }

#ifndef OLD_DRIVER
READING(nvmlDeviceGetArchitecture, uint32_t, ARCHITECTURE)

EXPORT int nvmlDeviceGetAddressingMode(device_t device, struct addressing *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct addressing, 1)) return ARGUMENT_VERSION_MISMATCH;
  VALUE(mode, ADDRESSING);
  out->value = (uint32_t)mode;
  return OK;
}

EXPORT int nvmlSystemGetConfComputeState(struct confidential *out) {
  SYSTEM;
  CHECK(out);
  int64_t feature = state->gpus[0].values[CONFIDENTIAL];
  if (feature == UNSUPPORTED) return NOT_SUPPORTED;
  *out = (struct confidential){0, (uint32_t)feature, 0};
  return OK;
}

EXPORT int nvmlDeviceGetGpuFabricInfo(device_t device, struct fabric_v1 *out) {
  DEVICE(device);
  CHECK(out);
  VALUE(fabric, FABRIC_STATE);
  *out = (struct fabric_v1){.status = (int32_t)gpu->values[FABRIC_STATUS], .state = (uint8_t)fabric};
  return OK;
}

/* The third version is known to libraries that give a summary. */
EXPORT int nvmlDeviceGetGpuFabricInfoV(device_t device, struct fabric_v3 *out) {
  DEVICE(device);
  CHECK(out);
  uint32_t version = out->head.version;
  int is_v3 = version == VERSION(struct fabric_v3, 3) && gpu->values[FABRIC_SUMMARY] != UNSUPPORTED;
  if (!is_v3 && version != VERSION(struct fabric_v2, 2)) return ARGUMENT_VERSION_MISMATCH;
  VALUE(fabric, FABRIC_STATE);
  out->head.status = (int32_t)gpu->values[FABRIC_STATUS];
  out->head.state = (uint8_t)fabric;
  out->head.health = (uint32_t)gpu->values[FABRIC_HEALTH];
  if (is_v3) out->summary = (uint8_t)gpu->values[FABRIC_SUMMARY];
  return OK;
}
#endif
