/*
 * What the script says about processes' shares of a device, the driver's sample buffers and GPM: rows of their own rather
 * than single numbers. The language is described in README.md.
 */
#ifndef FAKE_NVML_ACTIVITY_H
#define FAKE_NVML_ACTIVITY_H

#include <stdint.h>

#define MAX_ROWS 1024
#define SAMPLING_TYPES 7

/* A moment on the driver's clock in microseconds: so long ago, or an absolute stamp. */
struct moment { int is_ago; int64_t micros; };

/* One row of process utilisation. */
struct use_row { int gpu; uint32_t pid; struct moment at; uint32_t sm, memory, encoder, decoder; };

/* One entry of a sample buffer. */
struct sample_row { int gpu, type; struct moment at; double value; };

/* Value or code of a GPM metric; instance -1 is the whole card. */
struct gpm_row { int gpu, instance; uint32_t metric; int code; double value; };

struct activity {
  int use_count, sample_count, gpm_count;
  struct use_row uses[MAX_ROWS];
  struct sample_row samples[MAX_ROWS];
  struct gpm_row gpm[MAX_ROWS];
};

struct state;
struct gpu;

/* Takes a line of the script that begins with `use`, `sample` or `gpm`. False for any other. */
int add_activity_line(struct activity *activity, char **words);

/* Now on the clock that the script gives this driver, in microseconds. */
int64_t driver_micros(const struct gpu *gpu);
int64_t stamp_of(const struct gpu *gpu, struct moment moment);

#endif
