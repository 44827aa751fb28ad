/* Xids: every `xid` line of the script is delivered once, to the sets in which its card is registered, in the order of the numbers. */
#include <stdlib.h>
#include <string.h>

#include "enter.h"

#define XID_EVENT 0x8

struct event_set {
  int last_delivered;
  unsigned char registered[MAX_GPUS];
};

struct event_data {
  device_t device;
  uint64_t type, data;
  uint32_t gpu_instance, compute_instance;
};

EXPORT int nvmlEventSetCreate(struct event_set **set) {
  SYSTEM;
  CHECK(set);
  *set = calloc(1, sizeof **set);
  /* What happened before is lost. */
  for (int i = 0; i < state->xid_count; i++)
    if (state->xids[i].number > (*set)->last_delivered) (*set)->last_delivered = state->xids[i].number;
  return OK;
}

EXPORT int nvmlEventSetFree(struct event_set *set) {
  SYSTEM;
  CHECK(set);
  free(set);
  return OK;
}

EXPORT int nvmlDeviceGetSupportedEventTypes(device_t device, uint64_t *out) {
  DEVICE(device);
  CHECK(out);
  VALUE(types, EVENT_TYPES);
  *out = (uint64_t)types;
  return OK;
}

EXPORT int nvmlDeviceRegisterEvents(device_t device, uint64_t types, struct event_set *set) {
  DEVICE(device);
  CHECK(set);
  if (types & ~(uint64_t)gpu->values[EVENT_TYPES]) return NOT_SUPPORTED;
  set->registered[index_of_gpu(state, gpu)] = 1;
  return OK;
}

EXPORT int nvmlEventSetWait_v2(struct event_set *set, struct event_data *out, uint32_t timeout) {
  (void)timeout;
  SYSTEM;
  CHECK(set);
  CHECK(out);
  for (int slot = 0; slot < state->gpu_count; slot++)
    if (set->registered[slot] && state->gpus[slot].values[LOST]) return GPU_IS_LOST;
  const struct xid *next = NULL;
  for (int i = 0; i < state->xid_count; i++) {
    const struct xid *xid = &state->xids[i];
    if (xid->number <= set->last_delivered || !set->registered[xid->gpu]) continue;
    if (next == NULL || xid->number < next->number) next = xid;
  }
  if (next == NULL) return TIMEOUT;
  set->last_delivered = next->number;
  *out = (struct event_data){handle_of(next->gpu), XID_EVENT, next->code, next->instance, UINT32_MAX};
  return OK;
}
