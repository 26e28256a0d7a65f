/** Format in which rows are printed or written. */
export type Format = (typeof FORMATS)[number];

/** All formats. */
export const FORMATS = ['table', 'csv', 'json', 'parquet', 'arrow', 'xlsx', 'markdown'] as const;

/** Formats that a terminal cannot show. Only Arrow can be piped. */
export const NEED_FILE: readonly Format[] = ['parquet', 'arrow', 'xlsx'];
