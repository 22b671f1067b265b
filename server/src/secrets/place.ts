/** Where a value belongs. It is bound to what is sealed for it: anywhere else that does not open. */
export interface Place {
  readonly table: string;
  /** The row's primary key. */
  readonly row: string;
  readonly column: string;
}

/** Returns what is bound to a value in the form `version` of sealing; the engine has no part in it, so that a value may move. */
export function boundTo({ table, row, column }: Place, version: number): string {
  return [table, row, column, version].join("|");
}
