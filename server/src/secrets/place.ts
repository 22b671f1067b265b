/** The location that a sealed value is bound to: it does not open anywhere else. */
export interface SealedColumn {
  readonly table: string;
  /** The row's primary key. */
  readonly row: string;
  readonly column: string;
}

/**
 * Returns the text that a value is bound to in version `version` of the sealed format; the engine is not part of it, so
 * that a value may move.
 */
export function boundTo({ table, row, column }: SealedColumn, version: number): string {
  return [table, row, column, version].join("|");
}
