/* Who runs on a device. */
#include <string.h>

#include "enter.h"

static int is_listed(const struct process *process, int list) {
  return list == 0 ? process->compute : list == 1 ? process->graphics : process->mps;
}

/* Entries of 32 bytes end in memory that confidential computing protects: here the whole of it, or unknown. */
static void write_entry(char *entry, size_t size, const struct process *process) {
  struct process_535 full = {{process->pid, 0, process->memory, process->instance, process->compute_instance}, process->protected_memory};
  memcpy(entry, &full, size);
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
  *count = gpu->values[LIST_NEED] ? (uint32_t)gpu->values[LIST_NEED] : found + extra;
  if (*count > capacity || gpu->values[LIST_NEED]) return INSUFFICIENT_SIZE;
  if (*count > 0) CHECK(out);
  char *entry = out;
  for (int i = 0; i < state->process_count; i++) {
    const struct process *process = &state->processes[i];
    if (process->gpu != index || !is_listed(process, list)) continue;
    write_entry(entry, size, process);
    entry += size;
  }
  for (uint32_t i = 0; i < extra; i++, entry += size) {
    struct process more = {.pid = 900000 + i, .instance = UINT32_MAX, .compute_instance = UINT32_MAX, .memory = 4096};
    write_entry(entry, size, &more);
  }
  if (gpu->values[LIST_COUNT]) *count = (uint32_t)gpu->values[LIST_COUNT];
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
#define V3_SIZE (has_process_trap(state) || gpu->values[ENTRY_SIZE] == 32 ? sizeof(struct process_535) : sizeof(struct process_v2))

PROCESS_LIST(nvmlDeviceGetMPSComputeRunningProcesses, 2, sizeof(struct process_v1))
PROCESS_LIST(nvmlDeviceGetComputeRunningProcesses_v2, 0, sizeof(struct process_v2))
PROCESS_LIST(nvmlDeviceGetGraphicsRunningProcesses_v2, 1, sizeof(struct process_v2))
PROCESS_LIST(nvmlDeviceGetMPSComputeRunningProcesses_v2, 2, sizeof(struct process_v2))
PROCESS_LIST(nvmlDeviceGetComputeRunningProcesses_v3, 0, V3_SIZE)
PROCESS_LIST(nvmlDeviceGetGraphicsRunningProcesses_v3, 1, V3_SIZE)
PROCESS_LIST(nvmlDeviceGetMPSComputeRunningProcesses_v3, 2, V3_SIZE)
#endif
