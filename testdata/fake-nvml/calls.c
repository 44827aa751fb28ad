#include "calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct call_file private_calls;
static struct call_file *calls = &private_calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void open_calls(const char *path) {
  if (path == NULL) return;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (ftruncate(file, sizeof(struct call_file)) == 0) {
    void *map = mmap(NULL, sizeof(struct call_file), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) calls = map;
  }
  close(file);
}

uint32_t script_version(void) {
  return __atomic_load_n(&calls->script_version, __ATOMIC_ACQUIRE);
}

/* The file outlives the library, so a function may have a record from an earlier load. Slot 0 means "not looked up". */
static int find_slot(const char *function) {
  pthread_mutex_lock(&lock);
  uint32_t index = 0;
  while (index < calls->function_count && strcmp(calls->records[index].name, function) != 0) index++;
  if (index == calls->function_count && index < MAX_FUNCTIONS) {
    snprintf(calls->records[index].name, sizeof calls->records[index].name, "%s", function);
    calls->function_count++;
  }
  pthread_mutex_unlock(&lock);
  return (int)index + 1;
}

void count_call(int *slot, const char *function, int gpu) {
  if (*slot == 0) *slot = find_slot(function);
  if (*slot > MAX_FUNCTIONS || gpu + 1 >= CALL_COLUMNS) return;
  __atomic_fetch_add(&calls->records[*slot - 1].counts[gpu + 1], 1, __ATOMIC_RELAXED);
}
