/** One page of a list; `nextCursor` is null on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Selects a page of a list: `limit` is from 1 to 200; `cursor` is the `nextCursor` of the previous page. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A time as an RFC 3339 string in UTC, such as `2026-05-04T09:30:00.000Z`. */
export type Timestamp = string;
