#include "enter.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"

static int init_count;
/* Counts the shutdowns to zero: a handle from before one is void. */
static int era;
static int init_generation;

static const uint64_t HANDLE_BASE = 0x7fa000000000;

void set_initialized(int on) {
  if (on && init_count++ == 0) init_generation = current_state()->generation;
  if (!on && --init_count == 0) era++;
}

int is_initialized(void) {
  return init_count > 0;
}

device_t handle_of(int slot) {
  return (device_t)(uintptr_t)(HANDLE_BASE | (uint64_t)era << 12 | (uint64_t)slot << 4);
}

/* The low bits are free: a MIG instance has the handle of its card with a number there. */
device_t handle_of_instance(device_t card, int number) {
  return (device_t)((uintptr_t)card | (uintptr_t)number);
}

int instance_in_handle(device_t device) {
  return (int)((uintptr_t)device & 0xf);
}

static int slot_of_handle(device_t device) {
  device_t card = (device_t)((uintptr_t)device & ~(uintptr_t)0xf);
  for (int slot = 0; slot < MAX_GPUS; slot++)
    if (handle_of(slot) == card) return slot;
  return -1;
}

/* Functions that work on MIG instances too. */
static int takes_instances(const char *function) {
  static const char *const NAMES[] = {
    "nvmlDeviceGetName", "nvmlDeviceGetUUID", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetMemoryInfo_v2",
    "nvmlDeviceGetGpuInstanceId", "nvmlDeviceGetComputeInstanceId", "nvmlDeviceGetAttributes_v2",
  };
  for (unsigned i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strcmp(function, NAMES[i]) == 0) return 1;
  return 0;
}

static void wait_milliseconds(int64_t milliseconds) {
  struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

static const struct rule *find_rule(const struct state *state, enum rule_kind kind, const char *function, int gpu) {
  for (int i = 0; i < state->rule_count; i++) {
    const struct rule *rule = &state->rules[i];
    if (rule->kind == kind && (rule->gpu == -1 || rule->gpu == gpu) &&
        (strcmp(rule->function, function) == 0 || strcmp(rule->function, "*") == 0))
      return rule;
  }
  return NULL;
}

static int obey(int *slot, const char *function, int gpu, const struct state **state) {
  count_call(slot, function, gpu);
  *state = current_state();
  if ((*state)->rule_count == 0) return OK;
  while (find_rule(*state, RULE_HANG, function, gpu) != NULL) {
    wait_milliseconds(10);
    *state = current_state();
  }
  const struct rule *delay = find_rule(*state, RULE_DELAY, function, gpu);
  if (delay != NULL) wait_milliseconds(delay->value);
  const struct rule *fail = find_rule(*state, RULE_FAIL, function, gpu);
  return fail == NULL ? OK : (int)fail->value;
}

int enter_library(int *slot, const char *function, const struct state **state) {
  return obey(slot, function, -1, state);
}

static int kernel_code(const struct state *state) {
  if (state->down_code != 0) return state->down_code;
  return state->generation == init_generation ? OK : UNKNOWN_ERROR;
}

int enter_system(int *slot, const char *function, const struct state **state) {
  int code = obey(slot, function, -1, state);
  if (code != OK) return code;
  return is_initialized() ? kernel_code(*state) : UNINITIALIZED;
}

int enter_device(int *slot, const char *function, device_t device, const struct state **state, const struct gpu **gpu) {
  int index = slot_of_handle(device);
  int code = obey(slot, function, index, state);
  if (code != OK) return code;
  if (!is_initialized()) return UNINITIALIZED;
  /* The true library follows a null or stale handle into nowhere; the fake ends the process, so that a test sees it. */
  if (index < 0) abort();
  *gpu = &(*state)->gpus[index];
  code = kernel_code(*state);
  if (code != OK) return code;
  if ((*gpu)->values[LOST] || (*gpu)->values[REMOVED]) return GPU_IS_LOST;
  int number = instance_in_handle(device);
  if (number == 0) return OK;
  /* The card was cut anew: the handle leads nowhere. */
  if ((*gpu)->values[MIG] != 1 || number > (*state)->instance_count) return INVALID_ARGUMENT;
  return takes_instances(function) ? OK : NOT_SUPPORTED;
}

int field_rule(const struct state *state, int gpu, uint32_t field) {
  for (int i = 0; i < state->rule_count; i++) {
    const struct rule *rule = &state->rules[i];
    if (rule->kind == RULE_FIELD && (rule->gpu == -1 || rule->gpu == gpu) &&
        strtoul(rule->function, NULL, 0) == field)
      return (int)rule->value;
  }
  return OK;
}

int index_of_gpu(const struct state *state, const struct gpu *gpu) {
  return (int)(gpu - state->gpus);
}
