/* How devices are joined. */
#include "enter.h"

static const struct gpu *other_gpu(device_t device, const struct state *state) {
  for (int slot = 0; slot < state->gpu_count; slot++)
    if (handle_of(slot) == device) return &state->gpus[slot];
  return NULL;
}

EXPORT int nvmlDeviceGetTopologyCommonAncestor(device_t device, device_t other, int *level) {
  DEVICE(device);
  CHECK(level);
  const struct gpu *second = other_gpu(other, state);
  CHECK(second);
  if (gpu->values[SOCKET] != second->values[SOCKET]) *level = 50;
  else if (gpu->values[BRIDGE] >= 0 && gpu->values[BRIDGE] == second->values[BRIDGE]) *level = 10;
  else *level = 40;
  return OK;
}

EXPORT int nvmlDeviceGetP2PStatus(device_t device, device_t other, int capability, int *status) {
  DEVICE(device);
  CHECK(status);
  CHECK(other_gpu(other, state));
  if (capability < 0 || capability > 5) return INVALID_ARGUMENT;
  VALUE(peer, PEER_READ);
  *status = (int)peer;
  return OK;
}
