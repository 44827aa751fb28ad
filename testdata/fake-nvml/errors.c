/* Faults of memory: ECC, retired pages, remapped rows. */
#include "enter.h"

EXPORT int nvmlDeviceGetTotalEccErrors(device_t device, int error, int counter, uint64_t *out) {
  DEVICE(device);
  CHECK(out);
  if (error < 0 || error > 1 || counter < 0 || counter > 1) return INVALID_ARGUMENT;
  VALUE(value, ECC_CORRECTED + error + 2 * counter);
  *out = (uint64_t)value;
  return OK;
}

EXPORT int nvmlDeviceGetMemoryErrorCounter(device_t device, int error, int counter, int location, uint64_t *out) {
  DEVICE(device);
  CHECK(out);
#ifdef OLD_DRIVER
  if (location > 5) return INVALID_ARGUMENT;
#endif
  if (error < 0 || error > 1 || counter < 0 || counter > 1 || location < 0 || location > 7) return INVALID_ARGUMENT;
  VALUE(value, ECC_L1 + location);
  *out = (uint64_t)value + (uint64_t)error + 2 * (uint64_t)counter;
  return OK;
}

EXPORT int nvmlDeviceGetDetailedEccErrors(device_t device, int error, int counter, struct ecc_counts *out) {
  DEVICE(device);
  CHECK(out);
  VALUE(memory, ECC_DRAM);
  uint64_t more = (uint64_t)error + 2 * (uint64_t)counter;
  *out = (struct ecc_counts){
    (uint64_t)gpu->values[ECC_L1] + more, (uint64_t)gpu->values[ECC_L2] + more,
    (uint64_t)memory + more, (uint64_t)gpu->values[ECC_REGISTERS] + more};
  return OK;
}

READING_PAIR(nvmlDeviceGetEccMode, uint32_t, ECC_MODE, ECC_MODE_PENDING)
READING(nvmlDeviceGetRetiredPagesPendingStatus, uint32_t, RETIRED_PENDING)

/* As the true library: with room for too few it says how many there are. */
static int retired_pages(const struct gpu *gpu, int cause, uint32_t *count, uint64_t *addresses) {
  CHECK(count);
  if (cause < 0 || cause > 1) return INVALID_ARGUMENT;
  VALUE(pages, RETIRED_CORRECTED + cause);
  uint32_t room = *count;
  *count = (uint32_t)pages;
  if (room < (uint32_t)pages) return INSUFFICIENT_SIZE;
  for (uint32_t i = 0; addresses != NULL && i < (uint32_t)pages; i++) addresses[i] = 0x1000 * i;
  return OK;
}

EXPORT int nvmlDeviceGetRetiredPages(device_t device, int cause, uint32_t *count, uint64_t *addresses) {
  DEVICE(device);
  return retired_pages(gpu, cause, count, addresses);
}
EXPORT int nvmlDeviceGetRetiredPages_v2(device_t device, int cause, uint32_t *count, uint64_t *addresses, uint64_t *times) {
  DEVICE(device);
  (void)times;
  return retired_pages(gpu, cause, count, addresses);
}

#ifndef OLD_DRIVER
EXPORT int nvmlDeviceGetRemappedRows(device_t device, uint32_t *correctable, uint32_t *uncorrectable, uint32_t *pending, uint32_t *failure) {
  DEVICE(device);
  if (correctable == NULL || uncorrectable == NULL || pending == NULL || failure == NULL) return INVALID_ARGUMENT;
  if (gpu->values[MIG]) return NOT_SUPPORTED;
  VALUE(rows, REMAPPED_CORRECTABLE);
  *correctable = (uint32_t)rows;
  *uncorrectable = (uint32_t)gpu->values[REMAPPED_UNCORRECTABLE];
  *pending = (uint32_t)gpu->values[REMAPPED_PENDING];
  *failure = (uint32_t)gpu->values[REMAPPED_FAILURE];
  return OK;
}

EXPORT int nvmlDeviceGetRowRemapperHistogram(device_t device, struct histogram *out) {
  DEVICE(device);
  CHECK(out);
  VALUE(max, BANKS_MAX);
  *out = (struct histogram){
    (uint32_t)max, (uint32_t)gpu->values[BANKS_HIGH], (uint32_t)gpu->values[BANKS_PARTIAL],
    (uint32_t)gpu->values[BANKS_LOW], (uint32_t)gpu->values[BANKS_NONE]};
  return OK;
}

EXPORT int nvmlDeviceGetSramEccErrorStatus(device_t device, struct sram_status *out) {
  DEVICE(device);
  CHECK(out);
  if (out->version != VERSION(struct sram_status, 1)) return ARGUMENT_VERSION_MISMATCH;
  VALUE(first, SRAM_STATUS);
  for (int i = 0; i < 11; i++) out->counts[i] = (uint64_t)first + (uint64_t)i;
  out->exceeded = (uint32_t)gpu->values[SRAM_EXCEEDED];
  return OK;
}
#endif
