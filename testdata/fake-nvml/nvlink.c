/* NVLink ports and their counters. */
#include "nvlink.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "enter.h"

double fake_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int has_port(const struct gpu *gpu, uint32_t link) {
  return gpu->values[NVLINKS] != UNSUPPORTED && (int64_t)link < gpu->values[NVLINKS];
}

static int is_up(const struct gpu *gpu, uint32_t link) {
  return ((uint64_t)gpu->values[NVLINK_DOWN] >> link & 1) == 0;
}

/* Errors of port n are N + n, so that a mix-up of ports shows; none and sentinels stay what they are. */
static uint64_t errors_of(const struct gpu *gpu, enum key key, uint32_t link) {
  int64_t errors = gpu->values[key];
  return errors <= 0 ? (uint64_t)errors : (uint64_t)errors + link;
}

static int put(struct field_value *field, uint64_t value) {
  field->type = 3;
  field->value.u64 = value;
  return OK;
}

/* A total over all ports. */
static int put_total(const struct gpu *gpu, enum key key, struct field_value *field) {
  if (!has_port(gpu, 0) || gpu->values[key] == UNSUPPORTED) return NOT_SUPPORTED;
  uint64_t sum = 0;
  for (uint32_t link = 0; has_port(gpu, link); link++) sum += errors_of(gpu, key, link);
  return put(field, sum);
}

#ifndef OLD_DRIVER
static int put_port(const struct gpu *gpu, enum key key, struct field_value *field) {
  if (!has_port(gpu, field->scope)) return INVALID_ARGUMENT;
  if (gpu->values[key] == UNSUPPORTED) return NOT_SUPPORTED;
  return put(field, errors_of(gpu, key, field->scope));
}

/* `part` is the share of one port, in units of the field. */
static int put_bytes(const struct gpu *gpu, enum key key, double part, struct field_value *field) {
  VALUE(rate, key);
  return put(field, (uint64_t)(fake_seconds() * (double)rate * part));
}

static int newer_field(const struct gpu *gpu, struct field_value *field) {
  int is_new = gpu->values[NVLINK_GENERATION] >= 5;
  switch (field->field) {
    case 138: case 139:
      if (!has_port(gpu, 0) || is_new || field->scope != UINT32_MAX) return NOT_SUPPORTED;
      return put_bytes(gpu, field->field == 138 ? NVLINK_TX : NVLINK_RX, 1.0 / 1024, field);
    case 161: return is_new ? NOT_SUPPORTED : put_port(gpu, NVLINK_REPLAY, field);
    case 162: return is_new ? NOT_SUPPORTED : put_port(gpu, NVLINK_RECOVERY, field);
    case 163: return is_new ? NOT_SUPPORTED : put_port(gpu, NVLINK_CRC, field);
    case 165:
      if (!has_port(gpu, field->scope)) return INVALID_ARGUMENT;
      field->type = 1;
      field->value.u64 = (uint64_t)is_up(gpu, field->scope);
      return OK;
    case 202: case 204:
      if (!has_port(gpu, field->scope) || !is_new) return NOT_SUPPORTED;
      return put_bytes(gpu, field->field == 202 ? NVLINK_TX : NVLINK_RX, 1.0 / (double)gpu->values[NVLINKS], field);
    case 215: return is_new ? put_port(gpu, NVLINK_RECOVERY, field) : NOT_SUPPORTED;
    default: return NOT_SUPPORTED;
  }
}
#endif

int nvlink_field(const struct gpu *gpu, struct field_value *field) {
  int is_new = gpu->values[NVLINK_GENERATION] >= 5;
  switch (field->field) {
    case 91: {
      if (!has_port(gpu, 0)) return NOT_SUPPORTED;
      int64_t count = gpu->values[NVLINK_COUNT];
      return put(field, (uint64_t)(count < 0 ? gpu->values[NVLINKS] : count));
    }
    case 38: return is_new ? NOT_SUPPORTED : put_total(gpu, NVLINK_CRC_FLIT, field);
    case 45: return is_new ? NOT_SUPPORTED : put_total(gpu, NVLINK_CRC_DATA, field);
    case 52: return is_new ? NOT_SUPPORTED : put_total(gpu, NVLINK_REPLAY, field);
    case 59: return is_new ? NOT_SUPPORTED : put_total(gpu, NVLINK_RECOVERY, field);
#ifdef OLD_DRIVER
    default: return INVALID_ARGUMENT;
#else
    default: return newer_field(gpu, field);
#endif
  }
}

EXPORT int nvmlDeviceGetNvLinkState(device_t device, uint32_t link, uint32_t *out) {
  DEVICE(device);
  CHECK(out);
  if (link >= 36) return INVALID_ARGUMENT;
  if (!has_port(gpu, link)) return NOT_SUPPORTED;
  *out = (uint32_t)is_up(gpu, link);
  return OK;
}

EXPORT int nvmlDeviceGetNvLinkErrorCounter(device_t device, uint32_t link, int counter, uint64_t *out) {
  static const enum key COUNTERS[] = {NVLINK_REPLAY, NVLINK_RECOVERY, NVLINK_CRC_FLIT, NVLINK_CRC_DATA};
  DEVICE(device);
  CHECK(out);
  if (counter < 0 || counter > 4) return INVALID_ARGUMENT;
  if (!has_port(gpu, link) || counter == 4 || gpu->values[NVLINK_GENERATION] >= 5) return NOT_SUPPORTED;
  if (gpu->values[COUNTERS[counter]] == UNSUPPORTED) return NOT_SUPPORTED;
  *out = errors_of(gpu, COUNTERS[counter], link);
  return OK;
}

/* The other end of all ports: another card, or a switch. */
static int peer(const struct state *state, const struct gpu *gpu, uint32_t link, struct pci *pci, int is_long) {
  CHECK(pci);
  if (!has_port(gpu, link) || !is_up(gpu, link)) return NOT_SUPPORTED;
  int64_t slot = gpu->values[NVLINK_PEER];
  const char *bus_id = slot >= 0 ? state->gpus[slot % MAX_GPUS].bus_id : "00000000:C1:00.0";
  memset(pci, 0, is_long ? sizeof *pci : offsetof(struct pci, bus_id));
  memcpy(pci->legacy_bus_id, bus_id + 4, 12);
  if (is_long) snprintf(pci->bus_id, sizeof pci->bus_id, "%s", bus_id);
  return OK;
}

EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(device_t device, uint32_t link, struct pci *pci) { DEVICE(device); return peer(state, gpu, link, pci, 1); }
EXPORT int nvmlDeviceGetNvLinkRemotePciInfo(device_t device, uint32_t link, struct pci *pci) { DEVICE(device); return peer(state, gpu, link, pci, 0); }
