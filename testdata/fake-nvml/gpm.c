/*
 * GPM of Hopper and newer. A misuse that would corrupt memory in the true library ends the process, so that a test sees
 * it: a sample that was freed, two calls at the same time. What is left allocated at the last shutdown is counted in the
 * call file as `leaked GPM samples`.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "enter.h"

#ifndef OLD_DRIVER
#define MAX_SAMPLES 512
#define MIN_DISTANCE 100000000

struct gpm_sample { int is_used, gpu, instance; int64_t nanos; };

static struct gpm_sample samples[MAX_SAMPLES];
static atomic_int running;

static int64_t monotonic_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void begin(void) { if (atomic_fetch_add(&running, 1) != 0) abort(); }
static int end(int code) { atomic_fetch_sub(&running, 1); return code; }

static struct gpm_sample *sample_of(void *sample) {
  struct gpm_sample *found = sample;
  if (found < samples || found >= samples + MAX_SAMPLES || !found->is_used) abort();
  return found;
}

void count_leaked_gpm_samples(void) {
  static int slot;
  for (int i = 0; i < MAX_SAMPLES; i++) {
    if (samples[i].is_used) count_call(&slot, "leaked GPM samples", -1);
    samples[i].is_used = 0;
  }
}

EXPORT int nvmlGpmQueryDeviceSupport(device_t device, struct gpm_support *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != 1) return ARGUMENT_VERSION_MISMATCH;
  out->is_supported = gpu->values[GPM] == 1;
  return OK;
}

EXPORT int nvmlGpmSampleAlloc(void **out) {
  SYSTEM;
  (void)state;
  CHECK(out);
  for (int i = 0; i < MAX_SAMPLES; i++) {
    if (samples[i].is_used) continue;
    samples[i] = (struct gpm_sample){.is_used = 1, .gpu = -1};
    *out = &samples[i];
    return OK;
  }
  return 20;
}

EXPORT int nvmlGpmSampleFree(void *sample) {
  LIBRARY;
  (void)state;
  sample_of(sample)->is_used = 0;
  return OK;
}

static int take(const struct state *state, const struct gpu *gpu, int instance, void *sample) {
  struct gpm_sample *taken = sample_of(sample);
  if (gpu->values[GPM] != 1) return NOT_SUPPORTED;
  taken->gpu = index_of_gpu(state, gpu);
  taken->instance = instance;
  taken->nanos = monotonic_nanos();
  return OK;
}

/* The call is counted as running for as long as the script delays or hangs it. */
#define TAKE(instance, is_possible)                                             \
  const struct state *state;                                                    \
  const struct gpu *gpu;                                                        \
  static int slot_;                                                             \
  begin();                                                                      \
  int code = enter_device(&slot_, __func__, device, &state, &gpu);              \
  if (code == OK) code = (is_possible) ? take(state, gpu, instance, sample) : NOT_SUPPORTED; \
  return end(code)

EXPORT int nvmlGpmSampleGet(device_t device, void *sample) { TAKE(-1, !gpu->values[MIG]); }
EXPORT int nvmlGpmMigSampleGet(device_t device, uint32_t instance, void *sample) { TAKE((int)instance, gpu->values[MIG]); }

static const struct gpm_row *row_of(const struct state *state, const struct gpm_sample *sample, uint32_t metric) {
  for (int i = state->activity.gpm_count - 1; i >= 0; i--) {
    const struct gpm_row *row = &state->activity.gpm[i];
    if (row->metric == metric && row->instance == sample->instance && (row->gpu == -1 || row->gpu == sample->gpu)) return row;
  }
  return NULL;
}

static int is_known(uint32_t metric) {
  return (metric >= 1 && metric <= 13 && metric != 8) || metric == 20 || metric == 21 || metric == 60 || metric == 61;
}

/* A share of cycles in percent for the small ids, mebibytes per second for the others. */
static void compute(const struct state *state, const struct gpm_sample *sample, struct gpm_metric *metric) {
  const struct gpm_row *row = row_of(state, sample, metric->id);
  metric->code = row != NULL ? row->code : is_known(metric->id) ? OK : NOT_SUPPORTED;
  if (metric->code == OK) metric->value = row != NULL ? row->value : metric->id < 20 ? metric->id * 5 : metric->id * 100;
}

static int metrics_get(struct gpm_metrics *out, const struct state *state) {
  if (out->version != 1) return ARGUMENT_VERSION_MISMATCH;
  const struct gpm_sample *older = sample_of(out->older), *newer = sample_of(out->newer);
  if (out->count == 0 || out->count > 98 || older->gpu < 0 || newer->gpu != older->gpu || newer->nanos < older->nanos)
    return INVALID_ARGUMENT;
  const struct gpu *gpu = &state->gpus[newer->gpu];
  for (uint32_t i = 0; i < out->count; i++)
    if (gpu->values[GPM_STRICT] && !is_known(out->metrics[i].id)) return INVALID_ARGUMENT;
  for (uint32_t i = 0; i < out->count; i++) {
    compute(state, newer, &out->metrics[i]);
    if (newer->nanos - older->nanos < MIN_DISTANCE) out->metrics[i].value = 4096;
  }
  return OK;
}

EXPORT int nvmlGpmMetricsGet(struct gpm_metrics *out) {
  const struct state *state;
  static int slot_;
  begin();
  int code = enter_system(&slot_, __func__, &state);
  if (code == OK) code = out == NULL ? INVALID_ARGUMENT : metrics_get(out, state);
  return end(code);
}
#else
void count_leaked_gpm_samples(void) {}
#endif
