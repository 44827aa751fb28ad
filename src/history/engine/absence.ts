/** What a column holds that was never told anything: absent, not collected. */
export const UNSET_CODE = 8;

/** State of a row of a device that was not in the tick. */
export const NOT_IN_TICK = 255;
