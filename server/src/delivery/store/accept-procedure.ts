/**
 * Accepts notifications in the SQLite thread. Reads the devices of the audience and stores everything in one
 * message, because a message to the thread costs more than the statements.
 */
import type { StatementSync } from "node:sqlite";
import type { TransferableValue, SqlValues } from "#database/sqlite-procedure.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { createPendingDevices } from "../delivery.ts";
import type { AcceptOutcome } from "./accept-plan.ts";
import { encodePending } from "./tuples.ts";

/**
 * The SQL of the statements, compiled by the main thread. A statement that selects devices is named after its kind of
 * audience.
 */
export type AcceptStatements = Readonly<
  Record<
    | "account"
    | "team"
    | "group"
    | "device"
    | "insertNotification"
    | "insertJob"
    | "forgetKey"
    | "findKey"
    | "insertKey",
    string
  >
>;

/** One request. Rows are in the order of their columns; the statement of each row is compiled for that order. */
export type AcceptInput = readonly [
  /** The devices to read: the kind of audience, their maximum, and the select's parameters; null if `job` has them. */
  devices: readonly [kind: Audience["kind"], max: number, ...parameters: SqlValues] | null,
  /** Without its last column, the number of devices, if the devices are read here. */
  notification: SqlValues,
  /** Rows of the sending room: their SQL and values. */
  extraRows: readonly (readonly [sql: string, ...values: SqlValues])[],
  /** Without its last column, the pending devices, if the devices are read here; null if there is no work. */
  job: SqlValues | null,
  idempotency: IdempotencyInput | null,
];

/** The idempotency key of a request, and the times that decide whether a stored one has expired. */
export type IdempotencyInput = readonly [
  /** The first key of the rotation chain, and the later key that sends. */
  keyIds: readonly string[],
  keyHash: string,
  contentHash: string,
  notificationId: string,
  now: number,
  /** Keys that were stored at this time or before have expired. */
  expiredUpTo: number,
];

/** The result of one request: its outcome and the devices that were read, in the order of the select's columns. */
export type AcceptOutput = readonly [outcome: AcceptOutcome, devices: readonly SqlValues[]];

/** Returns the procedure. The thread calls this. */
export function createProcedure(
  sql: AcceptStatements,
  prepare: (sql: string) => StatementSync,
): (input: TransferableValue) => TransferableValue {
  const procedure = new AcceptProcedure(sql, prepare);
  // Only `accept-in-thread.ts` calls the procedure.
  return (input) => procedure.accept(input as unknown as AcceptInput);
}

class AcceptProcedure {
  readonly #statements: Readonly<Record<keyof AcceptStatements, StatementSync>>;
  readonly #prepare: (sql: string) => StatementSync;

  constructor(sql: AcceptStatements, prepare: (sql: string) => StatementSync) {
    this.#prepare = prepare;
    this.#statements = {
      account: prepare(sql.account),
      team: prepare(sql.team),
      group: prepare(sql.group),
      device: prepare(sql.device),
      insertNotification: prepare(sql.insertNotification),
      insertJob: prepare(sql.insertJob),
      forgetKey: prepare(sql.forgetKey),
      findKey: prepare(sql.findKey),
      insertKey: prepare(sql.insertKey),
    };
  }

  accept([deviceQuery, notification, extraRows, job, idempotency]: AcceptInput): AcceptOutput {
    const devices = deviceQuery === null ? [] : this.#readDevices(deviceQuery);
    if (devices === null) return ["too_many", []];
    const keyResult = idempotency === null ? null : this.#storeKey(idempotency);
    if (keyResult !== null) return [keyResult, devices];
    const { insertNotification, insertJob } = this.#statements;
    const readsDevices = deviceQuery !== null;
    insertNotification.run(...notification, ...(readsDevices ? [devices.length] : []));
    for (const [sql, ...values] of extraRows) this.#prepare(sql).run(...values);
    const hasJob = job !== null && !(readsDevices && devices.length === 0);
    if (hasJob) insertJob.run(...job, ...(readsDevices ? [toPendingText(devices)] : []));
    return ["accepted", devices];
  }

  /** Returns the rows of the devices; null if there are too many. */
  #readDevices([kind, max, ...parameters]: NonNullable<AcceptInput[0]>):
    | readonly SqlValues[]
    | null {
    const rows = this.#statements[kind].all(...parameters) as unknown as readonly SqlValues[]; // Prepared for arrays.
    return rows.length > max ? null : rows;
  }

  /**
   * Stores the idempotency key for this request. Returns null for a new key, otherwise the result of the request that
   * first used it.
   */
  #storeKey([
    keyIds,
    keyHash,
    contentHash,
    notificationId,
    now,
    expiredUpTo,
  ]: IdempotencyInput): AcceptOutcome | null {
    const { forgetKey, findKey, insertKey } = this.#statements;
    // The columns of `findKey`.
    const find = (keyId: string) =>
      findKey.get(keyId, keyHash) as unknown as IdempotencyRow | undefined;
    for (const keyId of keyIds) forgetKey.run(keyId, keyHash, expiredUpTo);
    const ownRow: IdempotencyRow = [contentHash, notificationId, now];
    const storedRows = keyIds.map(find).filter((row) => row !== undefined);
    const [oldest = ownRow] = storedRows.toSorted(([, , one], [, , other]) => one - other);
    // A row that is already stored for a key stays.
    for (const keyId of keyIds) insertKey.run(keyId, keyHash, ...oldest);
    const [storedHash, storedId] = find(keyIds[0] ?? "") ?? ownRow;
    if (storedId === notificationId) return null;
    return storedHash === contentHash ? ["replayed", storedId] : "mismatch";
  }
}

/** A stored idempotency key. */
type IdempotencyRow = readonly [contentHash: string, notificationId: string, createdAt: number];

function toPendingText(devices: readonly SqlValues[]): string {
  const deviceIds = devices.map(([deviceId]) => deviceId as string); // The first column that a select returns.
  return encodePending(createPendingDevices(deviceIds, 0));
}
