/* What the fields of NVLink give. */
#ifndef FAKE_NVML_NVLINK_H
#define FAKE_NVML_NVLINK_H

#include "state.h"

/* True time in seconds, for counters that grow at a scripted rate. */
double fake_seconds(void);

/* Also for fields that are not about NVLink, which the library does not have. */
int nvlink_field(const struct gpu *gpu, struct field_value *field);

#endif
