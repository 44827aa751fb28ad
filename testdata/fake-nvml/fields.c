/* nvmlDeviceGetFieldValues: numbers of a device by id. */
#include "enter.h"
#include "nvlink.h"

/* nvmlValueType_t. */
enum { U32 = 1, U64 = 3, I32 = 5 };

struct field_entry { uint32_t field; enum key key; int type; };

static const struct field_entry ENTRIES[] = {
  {1, ECC_MODE, U32}, {2, ECC_MODE_PENDING, U32},
  {3, ECC_CORRECTED, U64}, {4, ECC_UNCORRECTED, U64}, {5, ECC_CORRECTED_LIFETIME, U64}, {6, ECC_UNCORRECTED_LIFETIME, U64},
  {29, RETIRED_CORRECTED, U64}, {30, RETIRED_UNCORRECTED, U64}, {31, RETIRED_PENDING, U32},
  {74, HELD_POWER, U64}, {75, HELD_HEAT, U64}, {76, HELD_SYNC, U64}, {77, HELD_BOARD, U64},
  {78, HELD_IDLE, U64}, {79, HELD_RELIABILITY, U64}, {80, BELOW_APPLICATION, U64}, {81, BELOW_BASE, U64},
  {82, MEMORY_TEMPERATURE, U32}, {83, ENERGY, U64}, {94, PCIE_REPLAYS, U32},
#ifndef OLD_DRIVER
  {142, REMAPPED_CORRECTABLE, U32}, {143, REMAPPED_UNCORRECTABLE, U32}, {144, REMAPPED_PENDING, U32}, {145, REMAPPED_FAILURE, U32},
  {169, PCIE_RECOVERIES, U32}, {173, PCIE_CORRECTABLE, U64}, {179, PCIE_NON_FATAL, U64}, {180, PCIE_FATAL, U64},
  {185, POWER_AVERAGE, U32}, {186, POWER_INSTANT, U32}, {187, LIMIT_MIN, U32}, {188, LIMIT_MAX, U32},
  {189, LIMIT_DEFAULT, U32}, {190, POWER_LIMIT, U32}, {192, LIMIT_REQUESTED, U32},
  {193, MARGIN_SHUTDOWN, I32}, {194, MARGIN_SLOWDOWN, I32}, {195, MARGIN_MEMORY_MAX, I32}, {196, MARGIN_GPU_MAX, I32},
  {230, RECOVERY_ACTION, U32}, {269, SLOWED_SOFTWARE, U64}, {270, SLOWED_HARDWARE, U64}, {271, SLOWED_BRAKE, U64},
#endif
};

#ifndef OLD_DRIVER
/* A counter that grows at the scripted rate from its base, in true time; a base of -1 is all ones for ever. */
static int pcie_bytes(const struct gpu *gpu, int direction, struct field_value *field) {
  VALUE(rate, PCIE_TX + direction);
  int64_t base = gpu->values[PCIE_TX_BASE + direction];
  field->type = U64;
  field->value.u64 = base == -1 ? UINT64_MAX : (uint64_t)(base + (int64_t)(fake_seconds() * (double)rate));
  return OK;
}
#endif

static int read_field(const struct gpu *gpu, struct field_value *field) {
  for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; i++) {
    if (ENTRIES[i].field != field->field) continue;
    VALUE(value, ENTRIES[i].key);
    if (gpu->values[MIG] && field->field >= 142 && field->field <= 145) return NOT_SUPPORTED;
    field->type = ENTRIES[i].type;
    field->value.u64 = field->type == U64 ? (uint64_t)value : (uint32_t)value;
    return OK;
  }
#ifndef OLD_DRIVER
  if (field->field == 197 || field->field == 198) return pcie_bytes(gpu, (int)field->field - 197, field);
#endif
  return nvlink_field(gpu, field);
}

EXPORT int nvmlDeviceGetFieldValues(device_t device, int count, struct field_value *fields) {
  DEVICE(device);
  if (count <= 0 || fields == NULL) return INVALID_ARGUMENT;
  for (int i = 0; i < count; i++) {
    int code = field_rule(state, index_of_gpu(state, gpu), fields[i].field);
    fields[i].code = code != OK ? code : read_field(gpu, &fields[i]);
  }
  return OK;
}
