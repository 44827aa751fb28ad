/* Calls that gpulse does not make, so that other monitors run on the same fake machine when they are measured beside it. */
#include <string.h>

#include "enter.h"

#define CONSTANT(function, number)                     \
  EXPORT int function(device_t device, uint32_t *out) { \
    DEVICE(device);                                    \
    CHECK(out);                                        \
    *out = (number);                                   \
    return OK;                                         \
  }

CONSTANT(nvmlDeviceGetDisplayMode, 0)
CONSTANT(nvmlDeviceGetDisplayActive, 0)
CONSTANT(nvmlDeviceGetPersistenceMode, 1)
CONSTANT(nvmlDeviceGetComputeMode, 0)
CONSTANT(nvmlDeviceGetPowerManagementMode, 1)
CONSTANT(nvmlDeviceGetBrand, 2)

EXPORT int nvmlDeviceGetEccMode(device_t device, uint32_t *current, uint32_t *pending) {
  DEVICE(device);
  CHECK(current);
  CHECK(pending);
  *current = *pending = 1;
  return OK;
}

EXPORT int nvmlDeviceGetCudaComputeCapability(device_t device, int *major, int *minor) {
  DEVICE(device);
  CHECK(major);
  CHECK(minor);
  *major = 9;
  *minor = 0;
  return OK;
}

EXPORT int nvmlDeviceGetBAR1MemoryInfo(device_t device, struct bar1 *out) {
  DEVICE(device);
  CHECK(out);
  *out = (struct bar1){137438953472, 137420079104, 18874368};
  return OK;
}

EXPORT int nvmlDeviceGetMemoryErrorCounter(device_t device, int error, int counter, int location, uint64_t *out) {
  DEVICE(device);
  CHECK(out);
  if (location != 2) return NOT_SUPPORTED;
  *out = (uint64_t)gpu->values[ECC_CORRECTED + error + 2 * counter];
  return OK;
}

EXPORT int nvmlDeviceGetProcessUtilization(device_t device, struct process_utilization *out, uint32_t *count, uint64_t since) {
  DEVICE(device);
  CHECK(count);
  (void)since;
  uint32_t capacity = *count, found = 0;
  int index = index_of_gpu(state, gpu);
  for (int i = 0; i < state->process_count; i++) found += state->processes[i].gpu == index;
  *count = found;
  if (found == 0) return NOT_FOUND;
  if (out == NULL || capacity < found) return INSUFFICIENT_SIZE;
  for (int i = 0; i < state->process_count; i++) {
    if (state->processes[i].gpu != index) continue;
    *out++ = (struct process_utilization){state->processes[i].pid, 0, since + 1000000, 12, 3, 0, 0};
  }
  return OK;
}
