import { hash } from "node:crypto";
import type { Database } from "../database.ts";
import type { MovedTable } from "./catalog.ts";
import { readRows, type Row } from "./rows.ts";

/** The digest of a table's rows, which does not depend on the order of the rows. */
export interface TableDigest {
  /** The number of rows. */
  readonly rows: number;
  /** 128 bits, hexadecimal: the sum of the first 128 bits of each row's SHA-256. */
  readonly checksum: string;
}

const CHECKSUM_BITS = 128n;
const HEX_DIGITS = Number(CHECKSUM_BITS / 4n);

/** Reads a whole table, and returns its digest. Calls `onRows` with the number of rows of every batch. */
export async function computeDigest(
  database: Database,
  table: MovedTable,
  onRows: (count: number) => void,
): Promise<TableDigest> {
  let rows = 0;
  let sum = 0n;
  for await (const batch of readRows(database, table)) {
    for (const row of batch) sum = BigInt.asUintN(Number(CHECKSUM_BITS), sum + hashRow(row));
    rows += batch.length;
    onRows(batch.length);
  }
  return { rows, checksum: sum.toString(16).padStart(HEX_DIGITS, "0") };
}

function hashRow(row: Row): bigint {
  return BigInt(`0x${hash("sha256", JSON.stringify(row), "hex").slice(0, HEX_DIGITS)}`);
}
