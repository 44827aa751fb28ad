/* What the fake machine looks like: the script, parsed. The language is described in README.md. */
#ifndef FAKE_NVML_STATE_H
#define FAKE_NVML_STATE_H

#include "abi.h"
#include "activity.h"

#define MAX_GPUS 128
#define MAX_PROCESSES 4096
#define MAX_RULES 64
#define MAX_XIDS 64
#define MAX_INSTANCES 15

/* A value for which a call gives NOT_SUPPORTED. */
#define UNSUPPORTED INT64_MIN

enum key {
  TEMPERATURE, MARGIN, SLOWDOWN, MEMORY_TEMPERATURE,
  UTILIZATION, MEMORY_UTILIZATION, ENCODER, DECODER,
  MEMORY_TOTAL, MEMORY_USED, MEMORY_RESERVED,
  POWER, POWER_LIMIT, ENERGY,
  FANS, FAN, FAN1, FAN2, FAN3,
  GRAPHICS_CLOCK, SM_CLOCK, MEMORY_CLOCK, VIDEO_CLOCK,
  GRAPHICS_CLOCK_MAX, SM_CLOCK_MAX, MEMORY_CLOCK_MAX, VIDEO_CLOCK_MAX,
  PSTATE, REASONS,
  PCIE_TX, PCIE_RX, PCIE_TX_BASE, PCIE_RX_BASE,
  LINK_GENERATION, LINK_WIDTH, LINK_GENERATION_MAX, LINK_WIDTH_MAX,
  ECC_CORRECTED, ECC_UNCORRECTED, ECC_CORRECTED_LIFETIME, ECC_UNCORRECTED_LIFETIME,
  MINOR, MIG, LOST, REMOVED, HANDLE, GROWING, FIELD_CODE,
  LIST_COUNT, LIST_NEED, ENTRY_SIZE,
  USE, USE_COUNT, USE_NEED, SAMPLES, SAMPLE_TYPE, SAMPLE_COUNT, SAMPLE_NEED, SLOPPY, CLOCK_BOOT, CLOCK_OFFSET,
  GPM, GPM_STRICT,
  EVENT_TYPES,
#define KEY(key, name, initial) key,
#include "board-keys.h"
#undef KEY
  KEY_COUNT,
};

struct gpu {
  int64_t values[KEY_COUNT];
  char name[96], uuid[96], serial[30], bus_id[32];
};

struct process {
  int gpu;
  uint32_t pid, instance, compute_instance;
  uint64_t memory, protected_memory;
  int compute, graphics, mps;
};

/* One MIG instance. */
struct instance {
  int gpu;
  uint32_t gpu_instance, compute_instance, slices;
  uint64_t memory_total, memory_used;
};

/* One Xid: delivered once, by its number. */
struct xid {
  int number, gpu;
  uint32_t code, instance;
};

enum rule_kind { RULE_FAIL, RULE_HANG, RULE_DELAY, RULE_FIELD };

/* One `fail`, `hang`, `delay` or `field` line; gpu -1 stands for every GPU and for calls on none. */
struct rule {
  enum rule_kind kind;
  int gpu;
  char function[64];
  int64_t value;
};

struct state {
  int gpu_count, process_count, rule_count;
  int init_code, down_code;
  /* Grows when the script simulates a reload of the kernel driver: what was opened before is void. */
  int generation;
  char driver[80];
  struct gpu gpus[MAX_GPUS];
  struct process processes[MAX_PROCESSES];
  struct rule rules[MAX_RULES];
  struct activity activity;
  int instance_count;
  struct instance instances[MAX_INSTANCES];
  int xid_count;
  struct xid xids[MAX_XIDS];
};

/* Re-reads the script if it changed, and gives the state that holds now. It stays valid for the life of the library. */
const struct state *current_state(void);

/* Parses a script over the default machine; used by current_state. */
void parse_script(const char *text, struct state *state);

/* True where the driver is one of those that wrote 32-byte process entries from the v3 calls. */
int has_process_trap(const struct state *state);

/* The GPU behind an index as the library counts them (removed ones are skipped), or -1. */
int slot_of_index(const struct state *state, unsigned index);

#endif
