/* What every exported function does first: count the call, and hang, wait or fail where the script says so. */
#ifndef FAKE_NVML_ENTER_H
#define FAKE_NVML_ENTER_H

#include <stddef.h>

#include "state.h"

/* The driver this library was initialised under; -1 while it is not. */
void set_initialized(int on);
int is_initialized(void);

/* A handle stays valid until the last shutdown, and names a card, not an index. */
device_t handle_of(int slot);
device_t handle_of_instance(device_t card, int number);
/* 0 for a card. */
int instance_in_handle(device_t device);

/* What functions that also work on MIG instances say of one; 0 where the handle is that of a card. */
int instance_memory(const struct state *state, device_t device, uint64_t *total, uint64_t *used);
int instance_text(const struct state *state, device_t device, const char *function, char *out, size_t size);

int enter_library(int *slot, const char *function, const struct state **state);
int enter_system(int *slot, const char *function, const struct state **state);
int enter_device(int *slot, const char *function, device_t device, const struct state **state, const struct gpu **gpu);

/* Code of a `field` rule for this field of this card, or OK. */
int field_rule(const struct state *state, int gpu, uint32_t field);
int index_of_gpu(const struct state *state, const struct gpu *gpu);

/* At the last shutdown: samples that nobody freed. */
void count_leaked_gpm_samples(void);

#define ENTER(enter, ...)                                              \
  do {                                                                 \
    static int slot_;                                                  \
    int code_ = enter(&slot_, __func__, __VA_ARGS__);                  \
    if (code_ != OK) return code_;                                     \
  } while (0)

/* Functions that work before init. */
#define LIBRARY                \
  const struct state *state;   \
  ENTER(enter_library, &state)

/* Functions that need init, and no device. */
#define SYSTEM                 \
  const struct state *state;   \
  ENTER(enter_system, &state)

/* Functions on a device. */
#define DEVICE(device)         \
  const struct state *state;   \
  const struct gpu *gpu;       \
  ENTER(enter_device, device, &state, &gpu)

/* A function that gives one number of the GPU. */
#define READING(function, type, key)               \
  EXPORT int function(device_t device, type *out) { \
    DEVICE(device);                                \
    CHECK(out);                                    \
    VALUE(value, key);                             \
    *out = (type)value;                            \
    return OK;                                     \
  }

/* A function that gives two. */
#define READING_PAIR(function, type, first, second)               \
  EXPORT int function(device_t device, type *out, type *out2) { \
    DEVICE(device);                                              \
    CHECK(out);                                                  \
    CHECK(out2);                                                 \
    VALUE(value, first);                                         \
    *out = (type)value;                                          \
    *out2 = (type)gpu->values[second];                           \
    return OK;                                                   \
  }

#define CHECK(pointer) if ((pointer) == NULL) return INVALID_ARGUMENT

/* A number of the GPU, or NOT_SUPPORTED from the function that asked for it. */
#define VALUE(name, key)                                \
  int64_t name = gpu->values[key];                      \
  if (name == UNSUPPORTED) return NOT_SUPPORTED

#endif
