import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { plainLineOf } from "../../process/plain-line.ts";
import { SEALED, witnessIn } from "./witness.ts";

const DIGEST = "0123456789abcdef".repeat(4);
const FOUND = { day: 20_484, digest: DIGEST };

function lineOf(fields: object, message = SEALED): string {
  let written = "";
  pino({}, { write: (line: string) => (written = line) }).info(fields, message);
  return written;
}

test("a day and its digest are found in the line of a server, however it was collected", () => {
  const line = lineOf({ day: "2026-01-31", eventCount: 7, digest: DIGEST });
  const wrapped = JSON.stringify({ log: line, stream: "stdout" });
  for (const text of [
    line,
    plainLineOf(line),
    `Feb 01 01:00:00 host tocsin[42]: ${line}`,
    wrapped,
    JSON.stringify({ message: wrapped }),
  ]) {
    assert.deepEqual(witnessIn(text), FOUND, text);
  }
});

test("other lines tell of no day", () => {
  for (const line of [
    "",
    SEALED,
    lineOf({ day: "2026-01-31", digest: DIGEST }, "another message"),
    lineOf({ day: "2026-01-31", digest: DIGEST.slice(1) }),
    lineOf({ day: "2026-01-31", digest: `${DIGEST}0` }),
    lineOf({ day: "2026-99-31", digest: DIGEST }),
    lineOf({ digest: DIGEST }),
  ]) {
    assert.equal(witnessIn(line), null, line);
  }
});
