/* Init, shutdown, versions, and finding devices. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "enter.h"

static int initialize(const struct state *state) {
  int code = state->down_code != 0 ? state->down_code : state->init_code;
  if (code == OK) set_initialized(1);
  return code;
}

EXPORT int nvmlInit(void) { LIBRARY; return initialize(state); }
EXPORT int nvmlInit_v2(void) { LIBRARY; return initialize(state); }
EXPORT int nvmlInitWithFlags(uint32_t flags) { LIBRARY; (void)flags; return initialize(state); }

EXPORT int nvmlShutdown(void) {
  LIBRARY;
  if (!is_initialized()) return UNINITIALIZED;
  set_initialized(0);
  if (!is_initialized()) count_leaked_gpm_samples();
  return OK;
}

EXPORT const char *nvmlErrorString(int code) {
  switch (code) {
    case OK: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NO_PERMISSION: return "Insufficient Permissions";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case GPU_IS_LOST: return "GPU is lost";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
  }
}

static int copy_text(char *out, uint32_t length, const char *text) {
  CHECK(out);
  if (strlen(text) + 1 > length) return INSUFFICIENT_SIZE;
  strcpy(out, text);
  return OK;
}

EXPORT int nvmlSystemGetDriverVersion(char *version, uint32_t length) { SYSTEM; return copy_text(version, length, state->driver); }
EXPORT int nvmlSystemGetNVMLVersion(char *version, uint32_t length) {
  LIBRARY;
  char text[96];
  snprintf(text, sizeof text, "12.%s", state->driver);
  return copy_text(version, length, text);
}
EXPORT int nvmlSystemGetCudaDriverVersion(int *version) { LIBRARY; CHECK(version); *version = (int)state->gpus[0].values[CUDA]; return OK; }
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version) { LIBRARY; CHECK(version); *version = (int)state->gpus[0].values[CUDA]; return OK; }
EXPORT int nvmlSystemGetProcessName(uint32_t pid, char *name, uint32_t length) {
  SYSTEM;
  char text[32];
  snprintf(text, sizeof text, "/usr/bin/worker-%u", pid);
  return copy_text(name, length, text);
}

static int count_devices(const struct state *state, uint32_t *count) {
  CHECK(count);
  *count = 0;
  while (slot_of_index(state, *count) >= 0) (*count)++;
  return OK;
}

EXPORT int nvmlDeviceGetCount(uint32_t *count) { SYSTEM; return count_devices(state, count); }
EXPORT int nvmlDeviceGetCount_v2(uint32_t *count) { SYSTEM; return count_devices(state, count); }

static int open_slot(const struct state *state, int slot, device_t *device) {
  CHECK(device);
  if (slot < 0) return INVALID_ARGUMENT;
  const struct gpu *gpu = &state->gpus[slot];
  if (gpu->values[HANDLE] != 0) return (int)gpu->values[HANDLE];
  if (gpu->values[LOST]) return GPU_IS_LOST;
  *device = handle_of(slot);
  return OK;
}

/* The card is known before the call succeeds, so that a rule for one card can hold or fail it. */
static int open_by_index(int *slot_, const char *function, uint32_t index, device_t *device) {
  const struct state *state = current_state();
  int slot = slot_of_index(state, index);
  if (slot >= 0) {
    const struct gpu *gpu;
    int code = enter_device(slot_, function, handle_of(slot), &state, &gpu);
    if (code != OK) return code;
  } else {
    int code = enter_system(slot_, function, &state);
    if (code != OK) return code;
  }
  return open_slot(state, slot, device);
}

EXPORT int nvmlDeviceGetHandleByIndex(uint32_t index, device_t *device) {
  static int slot;
  return open_by_index(&slot, __func__, index, device);
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(uint32_t index, device_t *device) {
  static int slot;
  return open_by_index(&slot, __func__, index, device);
}

static int find(const struct state *state, size_t offset, const char *wanted, device_t *device) {
  CHECK(wanted);
  for (int slot = 0; slot < state->gpu_count; slot++)
    if (!state->gpus[slot].values[REMOVED] && strcasecmp((const char *)&state->gpus[slot] + offset, wanted) == 0)
      return open_slot(state, slot, device);
  return NOT_FOUND;
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, device_t *device) { SYSTEM; return find(state, offsetof(struct gpu, uuid), uuid, device); }
EXPORT int nvmlDeviceGetHandleBySerial(const char *serial, device_t *device) { SYSTEM; return find(state, offsetof(struct gpu, serial), serial, device); }
EXPORT int nvmlDeviceGetHandleByPciBusId(const char *bus_id, device_t *device) { SYSTEM; return find(state, offsetof(struct gpu, bus_id), bus_id, device); }
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, device_t *device) { SYSTEM; return find(state, offsetof(struct gpu, bus_id), bus_id, device); }

EXPORT int nvmlDeviceGetName(device_t device, char *name, uint32_t length) {
  DEVICE(device);
  char text[128];
  return copy_text(name, length, instance_text(state, device, __func__, text, sizeof text) ? text : gpu->name);
}

EXPORT int nvmlDeviceGetUUID(device_t device, char *uuid, uint32_t length) {
  DEVICE(device);
  char text[128];
  return copy_text(uuid, length, instance_text(state, device, __func__, text, sizeof text) ? text : gpu->uuid);
}

EXPORT int nvmlDeviceGetSerial(device_t device, char *serial, uint32_t length) { DEVICE(device); return copy_text(serial, length, gpu->serial); }
EXPORT int nvmlDeviceGetMinorNumber(device_t device, uint32_t *minor) { DEVICE(device); CHECK(minor); *minor = (uint32_t)gpu->values[MINOR]; return OK; }

EXPORT int nvmlDeviceGetIndex(device_t device, uint32_t *index) {
  DEVICE(device);
  CHECK(index);
  *index = 0;
  while (slot_of_index(state, *index) != index_of_gpu(state, gpu)) (*index)++;
  return OK;
}

static void fill_pci(const struct gpu *gpu, struct pci *pci) {
  memset(pci, 0, sizeof *pci);
  sscanf(gpu->bus_id, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device);
  snprintf(pci->legacy_bus_id, sizeof pci->legacy_bus_id, "%04X:%02X:%02X.0", pci->domain & 0xFFFF, pci->bus & 0xFF, pci->device & 0xFF);
  pci->device_id = 0x233010DE;
  pci->subsystem_id = 0x16C110DE;
}

EXPORT int nvmlDeviceGetPciInfo_v3(device_t device, struct pci *pci) {
  DEVICE(device);
  CHECK(pci);
  fill_pci(gpu, pci);
  memcpy(pci->bus_id, gpu->bus_id, sizeof pci->bus_id);
  return OK;
}

/* The older forms end after the subsystem id, with four reserved words behind it. */
static int old_pci(const struct gpu *gpu, void *out) {
  CHECK(out);
  struct pci pci;
  fill_pci(gpu, &pci);
  memcpy(out, &pci, offsetof(struct pci, bus_id));
  memset((char *)out + offsetof(struct pci, bus_id), 0, 16);
  return OK;
}

EXPORT int nvmlDeviceGetPciInfo_v2(device_t device, void *pci) { DEVICE(device); return old_pci(gpu, pci); }
EXPORT int nvmlDeviceGetPciInfo(device_t device, void *pci) { DEVICE(device); return old_pci(gpu, pci); }
