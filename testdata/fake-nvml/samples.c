/* The driver's own buffers of recent samples. */
#include "enter.h"

/* How many entries a buffer holds, and how far apart they are where the script does not list them. */
#define HELD 120
static const int64_t EVERY[SAMPLING_TYPES] = {20000, 166000, 166000, 166000, 166000, 20000, 20000};
static const enum key KEYS_OF[SAMPLING_TYPES] = {POWER, UTILIZATION, MEMORY_UTILIZATION, ENCODER, DECODER, SM_CLOCK, MEMORY_CLOCK};

static void put(struct sample *out, int64_t at, double value, int type) {
  out->at = (uint64_t)at;
  out->value.u64 = 0;
  switch (type) {
    case 0: out->value.f64 = value; break;
    case 1: out->value.u32 = (uint32_t)(int64_t)value; break;
    case 4: out->value.i64 = (int64_t)value; break;
    case 5: out->value.i32 = (int32_t)value; break;
    case 6: out->value.u16 = (uint16_t)value; break;
    default: out->value.u64 = (uint64_t)value; break;
  }
}

/* On a grid of the driver's clock, all with the value that the card has now. */
static uint32_t regular(const struct gpu *gpu, int type, int64_t since, struct sample *out, uint32_t capacity) {
  int64_t now = driver_micros(gpu), every = EVERY[type], newest = now / every * every;
  uint32_t found = 0;
  for (int64_t at = newest - (HELD - 1) * every; at <= newest; at += every)
    if (at > since && found < capacity) put(&out[found++], at, (double)gpu->values[KEYS_OF[type]], (int)gpu->values[SAMPLE_TYPE]);
  return found;
}

static uint32_t listed(const struct state *state, const struct gpu *gpu, int type, int64_t since, struct sample *out, uint32_t capacity) {
  uint32_t found = 0;
  for (int i = 0; i < state->activity.sample_count; i++) {
    const struct sample_row *row = &state->activity.samples[i];
    int64_t at = stamp_of(gpu, row->at);
    if (row->type != type || (row->gpu != -1 && row->gpu != index_of_gpu(state, gpu))) continue;
    if ((at > since || gpu->values[SLOPPY]) && found < capacity) put(&out[found++], at, row->value, (int)gpu->values[SAMPLE_TYPE]);
  }
  return found;
}

EXPORT int nvmlDeviceGetSamples(device_t device, int type, uint64_t since, int *value_type, uint32_t *count, struct sample *out) {
  DEVICE(device);
  CHECK(value_type);
  CHECK(count);
  if (type < 0 || type >= SAMPLING_TYPES) return INVALID_ARGUMENT;
  VALUE(now, KEYS_OF[type]);
  (void)now;
  if (gpu->values[MIG] || gpu->values[SAMPLES] == UNSUPPORTED) return NOT_SUPPORTED;
  *value_type = (int)gpu->values[SAMPLE_TYPE];
  if (out == NULL) { *count = HELD; return OK; }
  if (gpu->values[SAMPLE_NEED]) { *count = (uint32_t)gpu->values[SAMPLE_NEED]; return INSUFFICIENT_SIZE; }
  uint32_t capacity = *count;
  int is_listed = state->activity.sample_count > 0 || gpu->values[SAMPLES] == 0;
  *count = is_listed ? listed(state, gpu, type, (int64_t)since, out, capacity) : regular(gpu, type, (int64_t)since, out, capacity);
  if (*count == 0) return NOT_FOUND;
  if (gpu->values[SAMPLE_COUNT]) *count = (uint32_t)gpu->values[SAMPLE_COUNT];
  return OK;
}
