/* Who runs on a device. */
#include "enter.h"

static int is_listed(const struct process *process, int list) {
  return list == 0 ? process->compute : list == 1 ? process->graphics : process->mps;
}

/*
 * `list` is 0 for compute, 1 for graphics, 2 for MPS; `size` is that of one entry. Where the script lets the list grow,
 * every call finds so many more processes than the call before, as on a busy machine.
 */
static int list_processes(const struct state *state, const struct gpu *gpu, int list, size_t size, uint32_t *count, void *out) {
  static uint32_t grown;
  CHECK(count);
  uint32_t capacity = *count, found = 0;
  uint32_t extra = gpu->values[GROWING] && list == 0 && grown < 400 ? (grown += (uint32_t)gpu->values[GROWING]) : 0;
  int index = index_of_gpu(state, gpu);
  for (int i = 0; i < state->process_count; i++)
    found += state->processes[i].gpu == index && is_listed(&state->processes[i], list);
  *count = found + extra;
  if (*count > capacity) return INSUFFICIENT_SIZE;
  if (*count == 0) return OK;
  CHECK(out);
  char *entry = out;
  for (int i = 0; i < state->process_count; i++) {
    const struct process *process = &state->processes[i];
    if (process->gpu != index || !is_listed(process, list)) continue;
    struct process_535 full = {{process->pid, 0, process->memory, process->instance, UINT32_MAX}, 0};
    __builtin_memcpy(entry, &full, size);
    entry += size;
  }
  for (uint32_t i = 0; i < extra; i++, entry += size) {
    struct process_535 full = {{900000 + i, 0, 4096, UINT32_MAX, UINT32_MAX}, 0};
    __builtin_memcpy(entry, &full, size);
  }
  return OK;
}

#define PROCESS_LIST(function, list, size)                           \
  EXPORT int function(device_t device, uint32_t *count, void *out) { \
    DEVICE(device);                                                  \
    return list_processes(state, gpu, list, size, count, out);       \
  }

PROCESS_LIST(nvmlDeviceGetComputeRunningProcesses, 0, sizeof(struct process_v1))
PROCESS_LIST(nvmlDeviceGetGraphicsRunningProcesses, 1, sizeof(struct process_v1))

#ifndef OLD_DRIVER
#define V3_SIZE (has_process_trap(state) ? sizeof(struct process_535) : sizeof(struct process_v2))

PROCESS_LIST(nvmlDeviceGetMPSComputeRunningProcesses, 2, sizeof(struct process_v1))
PROCESS_LIST(nvmlDeviceGetComputeRunningProcesses_v2, 0, sizeof(struct process_v2))
PROCESS_LIST(nvmlDeviceGetGraphicsRunningProcesses_v2, 1, sizeof(struct process_v2))
PROCESS_LIST(nvmlDeviceGetMPSComputeRunningProcesses_v2, 2, sizeof(struct process_v2))
PROCESS_LIST(nvmlDeviceGetComputeRunningProcesses_v3, 0, V3_SIZE)
PROCESS_LIST(nvmlDeviceGetGraphicsRunningProcesses_v3, 1, V3_SIZE)
PROCESS_LIST(nvmlDeviceGetMPSComputeRunningProcesses_v3, 2, V3_SIZE)
#endif
