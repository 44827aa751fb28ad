/* Counts of calls per function and GPU, in a file that a test can read while the library runs. */
#ifndef FAKE_NVML_CALLS_H
#define FAKE_NVML_CALLS_H

#include <stdint.h>

#define MAX_FUNCTIONS 128
#define CALL_COLUMNS 129

/* One record of the file; column 0 counts calls on no GPU, column n+1 those on GPU n. */
struct call_record {
  char name[64];
  uint32_t counts[CALL_COLUMNS];
};

struct call_file {
  /* A test that has rewritten the script adds one, so that the next call reads it whatever the clock says. */
  uint32_t script_version;
  uint32_t function_count;
  struct call_record records[MAX_FUNCTIONS];
};

/* Maps the file, or private memory where path is null. */
void open_calls(const char *path);
uint32_t script_version(void);
void count_call(int *slot, const char *function, int gpu);

#endif
