import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#errors.ts";
import { ReadDeadline } from "./read-deadline.ts";

const never = new Promise<never>(() => {});

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === "unavailable";
}

test("reading that does not end is given up 1.5 seconds after the request came in", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const given = new ReadDeadline(1_000).with(never);
  let isOver = false;
  given.catch(() => (isOver = true));
  t.mock.timers.tick(450);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  t.mock.timers.tick(50);
  await assert.rejects(given, isRefusal);
});

test("a request that came in long ago is refused at once, unless the answer is there", async () => {
  const readDeadline = new ReadDeadline(3_000);
  assert.equal(await readDeadline.with(Promise.resolve("read")), "read");
  await assert.rejects(readDeadline.with(never), isRefusal);
});

test("the error of a read is told, and after the refusal nobody hears of it", async () => {
  const failing = Promise.reject(new Error("no such table"));
  await assert.rejects(new ReadDeadline(0).with(failing), /no such table/);
  const later = Promise.withResolvers<never>();
  await assert.rejects(new ReadDeadline(3_000).with(later.promise), isRefusal);
  // Unhandled, the rejection would end the process.
  later.reject(new Error("Connection terminated"));
  await new Promise((resolve) => setImmediate(resolve));
});
