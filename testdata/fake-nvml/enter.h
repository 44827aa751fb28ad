/* What every exported function does first: count the call, and hang, wait or fail where the script says so. */
#ifndef FAKE_NVML_ENTER_H
#define FAKE_NVML_ENTER_H

#include "state.h"

/* The driver this library was initialised under; -1 while it is not. */
void set_initialized(int on);
int is_initialized(void);

/* A handle stays valid until the last shutdown, and names a card, not an index. */
device_t handle_of(int slot);

int enter_library(int *slot, const char *function, const struct state **state);
int enter_system(int *slot, const char *function, const struct state **state);
int enter_device(int *slot, const char *function, device_t device, const struct state **state, const struct gpu **gpu);

/* Code of a `field` rule for this field of this card, or OK. */
int field_rule(const struct state *state, int gpu, uint32_t field);
int index_of_gpu(const struct state *state, const struct gpu *gpu);

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

#define CHECK(pointer) if ((pointer) == NULL) return INVALID_ARGUMENT

/* A number of the GPU, or NOT_SUPPORTED from the function that asked for it. */
#define VALUE(name, key)                                \
  int64_t name = gpu->values[key];                      \
  if (name == UNSUPPORTED) return NOT_SUPPORTED

#endif
