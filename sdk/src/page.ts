/** One page of a list; `nextCursor` is null on the last one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Selects a page of a list: `limit` is 1 to 200, `cursor` is the `nextCursor` of the page before. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A moment as an RFC 3339 string in UTC, such as `2026-05-04T09:30:00.000Z`. */
export type Timestamp = string;
