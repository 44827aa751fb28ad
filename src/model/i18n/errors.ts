import { HISTORY_ERRORS } from './errors-history.ts';
import { HTTP_ERRORS } from './errors-http.ts';
import { INPUT_ERRORS } from './errors-input.ts';
import { NVML_ERRORS } from './errors-nvml.ts';

/** Every operational failure gpulse can report. `docs/errors.md` is generated from this table. */
export const ERRORS = { ...NVML_ERRORS, ...INPUT_ERRORS, ...HISTORY_ERRORS, ...HTTP_ERRORS } as const;

export type ErrorCode = keyof typeof ERRORS;
