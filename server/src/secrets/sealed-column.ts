/** The location that a sealed value is bound to: it does not open anywhere else. */
export interface SealedColumn {
  readonly table: string;
  /** The row's primary key. */
  readonly row: string;
  readonly column: string;
}

/**
 * Returns the associated data that binds a value to its location, for a version of the sealed format. It does not
 * include the engine, so that a value may move to the other one.
 */
export function formatAssociatedData(
  { table, row, column }: SealedColumn,
  version: number,
): string {
  return [table, row, column, version].join("|");
}
