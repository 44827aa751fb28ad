/* Calls that gpulse does not make, so that other monitors run on the same fake machine when they are measured beside it. */
#include "enter.h"

#define CONSTANT(function, number)                     \
  EXPORT int function(device_t device, uint32_t *out) { \
    DEVICE(device);                                    \
    CHECK(out);                                        \
    *out = (number);                                   \
    return OK;                                         \
  }

CONSTANT(nvmlDeviceGetDisplayMode, 0)
CONSTANT(nvmlDeviceGetPowerManagementMode, 1)
