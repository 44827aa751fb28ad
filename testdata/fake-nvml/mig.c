/* MIG instances: `mig` lines of the script. The handle of an instance is that of its card with the number of the line in the low bits. */
#include <stdio.h>
#include <string.h>

#include "enter.h"

struct attributes {
  uint32_t multiprocessors, copy_engines, decoders, encoders, jpegs, ofas, gpu_slices, compute_slices;
  uint64_t memory_mib;
};

static const struct instance *instance_of(const struct state *state, device_t device) {
  int number = instance_in_handle(device);
  return number == 0 || number > state->instance_count ? NULL : &state->instances[number - 1];
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(device_t device, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  *out = gpu->values[MIG] == 1 ? 7 : 0;
  return OK;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(device_t device, uint32_t index, device_t *out) {
  DEVICE(device);
  CHECK(out);
  if (gpu->values[MIG] != 1) return NOT_SUPPORTED;
  /* Every second index is a hole. */
  if (index % 2 == 1) return NOT_FOUND;
  unsigned wanted = index / 2;
  for (int i = 0; i < state->instance_count; i++) {
    if (state->instances[i].gpu != index_of_gpu(state, gpu) || wanted-- > 0) continue;
    *out = handle_of_instance(device, i + 1);
    return OK;
  }
  return NOT_FOUND;
}

#define INSTANCE(device)                                               \
  DEVICE(device);                                                      \
  (void)gpu;                                                           \
  const struct instance *instance = instance_of(state, device);        \
  if (instance == NULL) return INVALID_ARGUMENT

EXPORT int nvmlDeviceGetGpuInstanceId(device_t device, uint32_t *out) {
  INSTANCE(device);
  CHECK(out);
  *out = instance->gpu_instance;
  return OK;
}

EXPORT int nvmlDeviceGetComputeInstanceId(device_t device, uint32_t *out) {
  INSTANCE(device);
  CHECK(out);
  *out = instance->compute_instance;
  return OK;
}

EXPORT int nvmlDeviceGetAttributes_v2(device_t device, struct attributes *out) {
  INSTANCE(device);
  CHECK(out);
  *out = (struct attributes){.gpu_slices = instance->slices, .compute_slices = instance->slices, .memory_mib = instance->memory_total >> 20};
  return OK;
}

/* What functions that also work on instances say of one; 0 where the handle is that of a card. */
int instance_memory(const struct state *state, device_t device, uint64_t *total, uint64_t *used) {
  const struct instance *instance = instance_of(state, device);
  if (instance == NULL) return 0;
  *total = instance->memory_total;
  *used = instance->memory_used;
  return 1;
}

int instance_text(const struct state *state, device_t device, const char *function, char *out, size_t size) {
  const struct instance *instance = instance_of(state, device);
  if (instance == NULL) return 0;
  if (strcmp(function, "nvmlDeviceGetUUID") == 0) snprintf(out, size, "MIG-fa4e0000-0000-4000-8000-%06x%06x", instance->gpu, instance->gpu_instance);
  else snprintf(out, size, "%s MIG %ug.%llugb", state->gpus[instance->gpu].name, instance->slices, (unsigned long long)(instance->memory_total >> 30));
  return 1;
}
