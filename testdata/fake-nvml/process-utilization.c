/* How much each process uses. */
#include "enter.h"

struct use_out { uint32_t pid; int64_t at; uint32_t shares[4]; };

/*
 * The rows newer than `since`: those of the script, or else one for every process of the card, stamped now. A driver that
 * the script makes sloppy gives older rows too.
 */
static uint32_t rows_of(const struct state *state, const struct gpu *gpu, int64_t since, struct use_out *out) {
  int index = index_of_gpu(state, gpu);
  uint32_t found = 0;
  const struct activity *activity = &state->activity;
  for (int i = 0; i < activity->use_count; i++) {
    const struct use_row *row = &activity->uses[i];
    int64_t at = stamp_of(gpu, row->at);
    if ((row->gpu != -1 && row->gpu != index) || (at <= since && !gpu->values[SLOPPY])) continue;
    out[found++] = (struct use_out){row->pid, at, {row->sm, row->memory, row->encoder, row->decoder}};
  }
  if (activity->use_count > 0) return found;
  for (int i = 0; i < state->process_count && found < MAX_ROWS; i++) {
    if (state->processes[i].gpu != index) continue;
    out[found++] = (struct use_out){state->processes[i].pid, driver_micros(gpu), {12, 3, 0, 0}};
  }
  return found;
}

/* What comes back besides the rows: the script may have the driver miscount, or never be content with the room. */
static int answer(const struct gpu *gpu, uint32_t capacity, uint32_t found, int has_room, uint32_t *count) {
  uint32_t needed = gpu->values[USE_NEED] ? (uint32_t)gpu->values[USE_NEED] : found;
  *count = needed;
  if (gpu->values[USE_NEED]) return INSUFFICIENT_SIZE;
  if (found == 0) return NOT_FOUND;
  if (!has_room || capacity < found) return INSUFFICIENT_SIZE;
  if (gpu->values[USE_COUNT]) *count = (uint32_t)gpu->values[USE_COUNT];
  return OK;
}

EXPORT int nvmlDeviceGetProcessUtilization(device_t device, struct process_utilization *out, uint32_t *count, uint64_t since) {
  DEVICE(device);
  CHECK(count);
  if (gpu->values[MIG] || gpu->values[USE] == UNSUPPORTED) return NOT_SUPPORTED;
  struct use_out rows[MAX_ROWS];
  uint32_t found = rows_of(state, gpu, (int64_t)since, rows);
  int code = answer(gpu, *count, found, out != NULL, count);
  for (uint32_t i = 0; code == OK && i < found; i++) {
    const struct use_out *row = &rows[i];
    out[i] = (struct process_utilization){row->pid, 0, (uint64_t)row->at, row->shares[0], row->shares[1], row->shares[2], row->shares[3]};
  }
  return code;
}

#ifndef OLD_DRIVER
EXPORT int nvmlDeviceGetProcessesUtilizationInfo(device_t device, struct processes_utilization_v1 *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct processes_utilization_v1, 1)) return ARGUMENT_VERSION_MISMATCH;
  if (gpu->values[MIG] || gpu->values[USE] == UNSUPPORTED) return NOT_SUPPORTED;
  struct use_out rows[MAX_ROWS];
  uint32_t found = rows_of(state, gpu, (int64_t)out->since, rows);
  int code = answer(gpu, out->count, found, out->rows != NULL, &out->count);
  for (uint32_t i = 0; code == OK && i < found; i++) {
    const struct use_out *row = &rows[i];
    out->rows[i] = (struct process_utilization_v1){(uint64_t)row->at, row->pid, row->shares[0], row->shares[1], row->shares[2], row->shares[3], 0, 0, 0};
  }
  return code;
}
#endif
