#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Name in the script and default of every number of a GPU, in the order of enum key. */
static const struct { const char *name; int64_t initial; } KEYS[KEY_COUNT] = {
  {"temperature", 41}, {"margin", 46}, {"slowdown", 87}, {"memory-temperature", 52},
  {"utilization", 35}, {"memory-utilization", 12}, {"encoder", 0}, {"decoder", 0},
  {"memory-total", 85899345920}, {"memory-used", 10737418240}, {"memory-reserved", 629145600},
  {"power", 235400}, {"power-limit", 700000}, {"energy", 5000000000},
  {"fans", 1}, {"fan", 30}, {"fan1", 0}, {"fan2", 0}, {"fan3", 0},
  {"graphics-clock", 1980}, {"sm-clock", 1980}, {"memory-clock", 2619}, {"video-clock", 1545},
  {"graphics-clock-max", 1980}, {"sm-clock-max", 1980}, {"memory-clock-max", 2619}, {"video-clock-max", 1545},
  {"pstate", 0}, {"reasons", 0},
  {"pcie-tx", 1000000000}, {"pcie-rx", 2000000000}, {"pcie-tx-base", 0}, {"pcie-rx-base", 0},
  {"link-generation", 5}, {"link-width", 16}, {"link-generation-max", 5}, {"link-width-max", 16},
  {"ecc-corrected", 0}, {"ecc-uncorrected", 0}, {"ecc-corrected-lifetime", 0}, {"ecc-uncorrected-lifetime", 0},
  {"minor", 0}, {"mig", 0}, {"lost", 0}, {"removed", 0}, {"handle", 0}, {"growing", 0}, {"field-code", 0},
  {"list-count", 0}, {"list-need", 0}, {"entry-size", 0},
  {"use", 1}, {"use-count", 0}, {"use-need", 0}, {"samples", 1}, {"sample-type", 1}, {"sample-count", 0}, {"sample-need", 0},
  {"sloppy", 0}, {"clock-boot", 0}, {"clock-offset", 0},
  {"gpm", 1}, {"gpm-strict", 0},
  {"event-types", 0x1f},
#define KEY(key, name, initial) {name, initial},
#include "board-keys.h"
#undef KEY
};

static void set_defaults(struct state *state) {
  memset(state, 0, sizeof *state);
  state->gpu_count = 2;
  snprintf(state->driver, sizeof state->driver, "570.86.10");
  for (int i = 0; i < MAX_GPUS; i++) {
    struct gpu *gpu = &state->gpus[i];
    for (int key = 0; key < KEY_COUNT; key++) gpu->values[key] = KEYS[key].initial;
    gpu->values[MINOR] = i;
    snprintf(gpu->name, sizeof gpu->name, "NVIDIA H100 80GB HBM3");
    snprintf(gpu->uuid, sizeof gpu->uuid, "GPU-fa4e0000-0000-4000-8000-%012x", i);
    snprintf(gpu->serial, sizeof gpu->serial, "16500%08d", i);
    snprintf(gpu->bus_id, sizeof gpu->bus_id, "00000000:%02X:00.0", 0x10 + i);
  }
}

/* A number in any base, or a word: `on` is 1, `off` is 0, `unsupported` makes the call say so. */
static int64_t number_of(const char *word) {
  if (word == NULL || strcmp(word, "on") == 0) return 1;
  if (strcmp(word, "off") == 0) return 0;
  if (strcmp(word, "unsupported") == 0) return UNSUPPORTED;
  return word[0] == '-' ? strtoll(word, NULL, 0) : (int64_t)strtoull(word, NULL, 0);
}

static void add_rule(struct state *state, enum rule_kind kind, int gpu, const char *function, int64_t value) {
  if (function == NULL || state->rule_count == MAX_RULES) return;
  struct rule *rule = &state->rules[state->rule_count++];
  rule->kind = kind;
  rule->gpu = gpu;
  rule->value = value;
  snprintf(rule->function, sizeof rule->function, "%s", function);
}

static int add_named_rule(struct state *state, int gpu, const char *verb, char **words) {
  if (strcmp(verb, "fail") == 0) add_rule(state, RULE_FAIL, gpu, words[0], number_of(words[1]));
  else if (strcmp(verb, "hang") == 0) add_rule(state, RULE_HANG, gpu, words[0], 0);
  else if (strcmp(verb, "delay") == 0) add_rule(state, RULE_DELAY, gpu, words[0], number_of(words[1]));
  else if (strcmp(verb, "field") == 0) add_rule(state, RULE_FIELD, gpu, words[0], number_of(words[1]));
  else return 0;
  return 1;
}

/* Names may hold spaces: the words from here on, joined again. */
static void join(char *out, size_t size, char **words) {
  out[0] = '\0';
  for (; *words != NULL; words++) {
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used == 0 ? "" : " ", *words);
  }
}

static void parse_gpu(struct state *state, int index, char **words) {
  struct gpu *gpu = &state->gpus[index];
  if (words[0] == NULL || add_named_rule(state, index, words[0], words + 1)) return;
  if (strcmp(words[0], "name") == 0) join(gpu->name, sizeof gpu->name, words + 1);
  else if (strcmp(words[0], "uuid") == 0) join(gpu->uuid, sizeof gpu->uuid, words + 1);
  else if (strcmp(words[0], "serial") == 0) join(gpu->serial, sizeof gpu->serial, words + 1);
  else if (strcmp(words[0], "bus-id") == 0) join(gpu->bus_id, sizeof gpu->bus_id, words + 1);
  for (int key = 0; key < KEY_COUNT; key++)
    if (strcmp(words[0], KEYS[key].name) == 0) gpu->values[key] = number_of(words[1]);
}

static void add_process(struct state *state, int gpu, char **words) {
  if (state->process_count == MAX_PROCESSES) return;
  struct process *process = &state->processes[state->process_count++];
  *process = (struct process){.gpu = gpu, .instance = UINT32_MAX, .compute_instance = UINT32_MAX, .compute = 1};
  for (; words[0] != NULL && words[1] != NULL; words += 2) {
    if (strcmp(words[0], "pid") == 0) process->pid = (uint32_t)number_of(words[1]);
    else if (strcmp(words[0], "memory") == 0) process->memory = (uint64_t)number_of(words[1]);
    else if (strcmp(words[0], "instance") == 0) process->instance = (uint32_t)number_of(words[1]);
    else if (strcmp(words[0], "protected") == 0) process->protected_memory = (uint64_t)number_of(words[1]);
    else if (strcmp(words[0], "compute-instance") == 0) process->compute_instance = (uint32_t)number_of(words[1]);
    else if (strcmp(words[0], "kind") == 0) {
      process->compute = strcmp(words[1], "compute") == 0 || strcmp(words[1], "both") == 0;
      process->graphics = strcmp(words[1], "graphics") == 0 || strcmp(words[1], "both") == 0;
      process->mps = strcmp(words[1], "mps") == 0;
    }
  }
}

/* `processes GPU COUNT`: so many compute processes with pids from 10000 * (GPU + 1) on, 1 MiB each. */
static void add_processes(struct state *state, int gpu, int count) {
  for (int i = 0; i < count && state->process_count < MAX_PROCESSES; i++) {
    state->processes[state->process_count++] = (struct process){
      .gpu = gpu, .pid = (uint32_t)(10000 * (gpu + 1) + i), .instance = UINT32_MAX, .compute_instance = UINT32_MAX, .memory = 1 << 20, .compute = 1};
  }
}

/* `mig GPU GI CI SLICES MEMORY_TOTAL MEMORY_USED`. */
static void add_instance(struct state *state, char **words) {
  if (state->instance_count == MAX_INSTANCES || words[5] == NULL) return;
  state->instances[state->instance_count++] = (struct instance){
    (int)number_of(words[0]) % MAX_GPUS, (uint32_t)number_of(words[1]), (uint32_t)number_of(words[2]),
    (uint32_t)number_of(words[3]), (uint64_t)number_of(words[4]), (uint64_t)number_of(words[5])};
}

/* `xid NUMBER GPU CODE [INSTANCE]`. */
static void add_xid(struct state *state, char **words) {
  if (state->xid_count == MAX_XIDS || words[0] == NULL || words[1] == NULL || words[2] == NULL) return;
  uint32_t instance = words[3] == NULL ? UINT32_MAX : (uint32_t)number_of(words[3]);
  state->xids[state->xid_count++] =
    (struct xid){(int)number_of(words[0]), (int)number_of(words[1]) % MAX_GPUS, (uint32_t)number_of(words[2]), instance};
}

static void parse_line(struct state *state, char *line) {
  char *words[24] = {0}, *rest = NULL;
  int count = 0;
  for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && count < 22; word = strtok_r(NULL, " \t\r", &rest))
    words[count++] = word;
  if (count < 2 || words[0][0] == '#') return;
  const char *verb = words[0];
  if (strcmp(verb, "gpus") == 0) state->gpu_count = (int)number_of(words[1]);
  else if (strcmp(verb, "driver") == 0) snprintf(state->driver, sizeof state->driver, "%s", words[1]);
  else if (strcmp(verb, "init") == 0) state->init_code = (int)number_of(words[1]);
  else if (strcmp(verb, "down") == 0) state->down_code = (int)number_of(words[1]);
  else if (strcmp(verb, "generation") == 0) state->generation = (int)number_of(words[1]);
  else if (strcmp(verb, "process") == 0) add_process(state, atoi(words[1]), words + 2);
  else if (strcmp(verb, "mig") == 0) add_instance(state, words + 1);
  else if (strcmp(verb, "xid") == 0) add_xid(state, words + 1);
  else if (strcmp(verb, "processes") == 0) add_processes(state, atoi(words[1]), (int)number_of(words[2]));
  else if (strcmp(verb, "gpu") == 0 && strcmp(words[1], "*") != 0) parse_gpu(state, atoi(words[1]) % MAX_GPUS, words + 2);
  else if (strcmp(verb, "gpu") == 0 && words[2] != NULL && add_named_rule(state, -1, words[2], words + 3)) return;
  else if (strcmp(verb, "gpu") == 0) for (int i = 0; i < MAX_GPUS; i++) parse_gpu(state, i, words + 2);
  else if (!add_activity_line(&state->activity, words)) add_named_rule(state, -1, verb, words + 1);
}

void parse_script(const char *text, struct state *state) {
  set_defaults(state);
  char *copy = strdup(text), *rest = NULL;
  for (char *line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) parse_line(state, line);
  free(copy);
  if (state->gpu_count > MAX_GPUS) state->gpu_count = MAX_GPUS;
}

int has_process_trap(const struct state *state) {
  int major = 0, minor = 0;
  sscanf(state->driver, "%d.%d", &major, &minor);
  return major == 535 && minor >= 43 && minor <= 86;
}

int slot_of_index(const struct state *state, unsigned index) {
  for (int slot = 0; slot < state->gpu_count; slot++) {
    if (state->gpus[slot].values[REMOVED]) continue;
    if (index-- == 0) return slot;
  }
  return -1;
}
