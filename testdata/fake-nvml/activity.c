#include "activity.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "state.h"

int64_t driver_micros(const struct gpu *gpu) {
  struct timespec now;
  clock_gettime(gpu->values[CLOCK_BOOT] ? CLOCK_BOOTTIME : CLOCK_REALTIME, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000 + gpu->values[CLOCK_OFFSET];
}

int64_t stamp_of(const struct gpu *gpu, struct moment moment) {
  return moment.is_ago ? driver_micros(gpu) - moment.micros : moment.micros;
}

/* `~5000` is 5 ms ago, `5000` that stamp. */
static struct moment moment_of(const char *word) {
  int is_ago = word[0] == '~';
  return (struct moment){is_ago, (int64_t)strtoull(word + is_ago, NULL, 0)};
}

static int gpu_of(const char *word) {
  return strcmp(word, "*") == 0 ? -1 : atoi(word);
}

static void add_use(struct activity *activity, char **words) {
  if (activity->use_count == MAX_ROWS) return;
  struct use_row *row = &activity->uses[activity->use_count++];
  *row = (struct use_row){.gpu = gpu_of(words[0])};
  for (words++; words[0] != NULL && words[1] != NULL; words += 2) {
    uint32_t number = (uint32_t)strtoul(words[1], NULL, 0);
    if (strcmp(words[0], "pid") == 0) row->pid = number;
    else if (strcmp(words[0], "at") == 0) row->at = moment_of(words[1]);
    else if (strcmp(words[0], "sm") == 0) row->sm = number;
    else if (strcmp(words[0], "memory") == 0) row->memory = number;
    else if (strcmp(words[0], "encoder") == 0) row->encoder = number;
    else if (strcmp(words[0], "decoder") == 0) row->decoder = number;
  }
}

static const char *const TYPES[SAMPLING_TYPES] = {
  "power", "utilization", "memory-utilization", "encoder", "decoder", "sm-clock", "memory-clock"};

static void add_sample(struct activity *activity, char **words) {
  if (activity->sample_count == MAX_ROWS || words[1] == NULL) return;
  struct sample_row row = {.gpu = gpu_of(words[0]), .type = -1};
  for (int type = 0; type < SAMPLING_TYPES; type++)
    if (strcmp(words[1], TYPES[type]) == 0) row.type = type;
  for (words += 2; words[0] != NULL && words[1] != NULL; words += 2) {
    if (strcmp(words[0], "at") == 0) row.at = moment_of(words[1]);
    else if (strcmp(words[0], "value") == 0) row.value = strtod(words[1], NULL);
  }
  activity->samples[activity->sample_count++] = row;
}

static void add_gpm(struct activity *activity, char **words) {
  if (activity->gpm_count == MAX_ROWS || words[1] == NULL) return;
  struct gpm_row row = {.gpu = gpu_of(words[0]), .instance = -1, .metric = (uint32_t)strtoul(words[1], NULL, 0)};
  for (words += 2; words[0] != NULL && words[1] != NULL; words += 2) {
    if (strcmp(words[0], "value") == 0) row.value = strtod(words[1], NULL);
    else if (strcmp(words[0], "code") == 0) row.code = atoi(words[1]);
    else if (strcmp(words[0], "instance") == 0) row.instance = atoi(words[1]);
  }
  activity->gpm[activity->gpm_count++] = row;
}

int add_activity_line(struct activity *activity, char **words) {
  if (strcmp(words[0], "use") == 0) add_use(activity, words + 1);
  else if (strcmp(words[0], "sample") == 0) add_sample(activity, words + 1);
  else if (strcmp(words[0], "gpm") == 0) add_gpm(activity, words + 1);
  else return 0;
  return 1;
}
