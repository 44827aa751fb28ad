import { CLIENT_ERRORS } from './errors-client.ts';
import { DRM_ERRORS } from './errors-drm.ts';
import { HISTORY_ERRORS } from './errors-history.ts';
import { HTTP_ERRORS } from './errors-http.ts';
import { INPUT_ERRORS } from './errors-input.ts';
import { NVML_ERRORS } from './errors-nvml.ts';
import { RUN_ERRORS } from './errors-runs.ts';
import { SMI_ERRORS } from './errors-smi.ts';

/** Every operational failure gpulse can report. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  ...NVML_ERRORS,
  ...DRM_ERRORS,
  ...SMI_ERRORS,
  ...INPUT_ERRORS,
  ...HISTORY_ERRORS,
  ...HTTP_ERRORS,
  ...CLIENT_ERRORS,
  ...RUN_ERRORS,
} as const;

export type ErrorCode = keyof typeof ERRORS;
