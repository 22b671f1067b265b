import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#errors.ts";
import { ReadDeadline } from "./read-deadline.ts";

/** A time after the arrival of the request at which the deadline has passed. */
const LATE_MS = 3_000;
const never = new Promise<never>(() => {});

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === "unavailable";
}

test("a read times out 1.5 seconds after the request arrived", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const result = new ReadDeadline(1_000).enforce(never);
  let hasRejected = false;
  result.catch(() => (hasRejected = true));
  t.mock.timers.tick(450);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasRejected, false);
  t.mock.timers.tick(50);
  await assert.rejects(result, isRefusal);
});

test("a read after the deadline is refused immediately, unless its result is ready", async () => {
  const readDeadline = new ReadDeadline(LATE_MS);
  assert.equal(await readDeadline.enforce(Promise.resolve("read")), "read");
  await assert.rejects(readDeadline.enforce(never), isRefusal);
});

test("a read's error is passed on before the refusal, and ignored after it", async () => {
  const failing = Promise.reject(new Error("no such table"));
  await assert.rejects(new ReadDeadline(0).enforce(failing), /no such table/);
  const lateRead = Promise.withResolvers<never>();
  await assert.rejects(new ReadDeadline(LATE_MS).enforce(lateRead.promise), isRefusal);
  // Unhandled, the rejection would end the process.
  lateRead.reject(new Error("Connection terminated"));
  await new Promise((resolve) => setImmediate(resolve));
});
