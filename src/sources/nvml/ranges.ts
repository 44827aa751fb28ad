/** What values can be at all. Whatever lies outside is a sentinel or a fault of the driver. */

/** What a chip can be at and still answer, °C. */
export const MIN_CELSIUS = -60;
export const MAX_CELSIUS = 180;

/** No board draws ten kilowatts. */
export const MAX_WATTS = 10_000;

/** One pebibyte; no device comes near, every sentinel lies beyond. */
export const MAX_BYTES = 2 ** 50;

/** Exact as a number, and below every sentinel of 64 bits. */
export const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/** Below every sentinel of 32 bits, with and without the sign. */
export const MAX_COUNT_32 = 0x7ffffffe;

/** A hundred years. */
export const MAX_SECONDS = 3.2e9;

/** Ten kilowatts for thirty years. */
export const MAX_JOULES = 1e13;
