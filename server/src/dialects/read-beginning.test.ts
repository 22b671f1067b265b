import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { test } from "node:test";
import { AppError } from "#errors.ts";
import { readBeginning } from "./read-beginning.ts";

const LIMITS = { keptMaxBytes: 4, readMaxBytes: 8 } as const;

async function read(...chunks: readonly string[]) {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const { bytes, isComplete } = await readBeginning(stream, LIMITS);
  return [bytes.toString(), isComplete];
}

test("a small body is complete", async () => {
  assert.deepEqual(await read(), ["", true]);
  assert.deepEqual(await read("ab", "cd"), ["abcd", true]);
});

test("a larger body is read to its end, and its beginning is kept", async () => {
  assert.deepEqual(await read("abc", "de"), ["abcd", false]);
  assert.deepEqual(await read("abcdefgh"), ["abcd", false]);
});

test("a body that is too large is refused, and its rest is discarded", async () => {
  const stream = Readable.from(["abcd", "efghi", "rest"].map((chunk) => Buffer.from(chunk)));
  const isTooLarge = (error: unknown) =>
    error instanceof AppError && error.code === "body_too_large";
  await assert.rejects(readBeginning(stream, LIMITS), isTooLarge);
  await finished(stream);
});

test("a body that is many times too large is discarded to its end", async () => {
  const stream = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(9)));
  await assert.rejects(readBeginning(stream, LIMITS), AppError);
  await once(stream, "end", { signal: AbortSignal.timeout(1_000) });
});

test("a body that its client broke off is a mistake of the client", async () => {
  const stream = new Readable({ read() {} });
  const reading = readBeginning(stream, LIMITS);
  stream.push(Buffer.from("ab"));
  stream.destroy(new Error("aborted"));
  await assert.rejects(reading, (error) => {
    return error instanceof AppError && error.code === "invalid_request";
  });
});
