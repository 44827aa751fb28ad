/**
 * A block is a sealed segment: columns of a few devices over the same rows, each compressed by itself, so that a query
 * decodes only what it asks for. Drawn in docs/storage-format.md.
 */

/** "gpb" and the version of the format. */
export const MAGIC = 0x31427067;
/** Magic, checksum of everything behind it, length of the packed header. */
export const PREFIX_BYTES = 12;

/** What follows the number of a column in the header. */
export const KIND = {
  /** Never present: the reason, one byte. */
  absent: 0,
  /** The same at every row: the number. */
  constant: 1,
  /** The length of its bytes among the columns. */
  varying: 2,
  /** Runs of codes, as length and bytes, then the length of its bytes among the columns. */
  broken: 3,
  /** Equal to an earlier column of the device at every row: its number. */
  same: 4,
  /** A number less an earlier column of the device at every row: the number of the column, and the number. */
  complement: 5,
} as const;
