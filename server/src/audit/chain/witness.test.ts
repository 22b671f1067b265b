import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { plainLineOf } from "../../process/plain-line.ts";
import { CHAINED_MESSAGE, parseWitness } from "./witness.ts";

const DIGEST = "0123456789abcdef".repeat(4);
const EXPECTED = { day: 20_484, digest: DIGEST };

function logLine(fields: object, message = CHAINED_MESSAGE): string {
  let written = "";
  pino({}, { write: (line: string) => (written = line) }).info(fields, message);
  return written;
}

test("a logged day and digest are found in every common log format", () => {
  const line = logLine({ day: "2026-01-31", eventCount: 7, digest: DIGEST });
  const wrapped = JSON.stringify({ log: line, stream: "stdout" });
  for (const text of [
    line,
    plainLineOf(line),
    `Feb 01 01:00:00 host tocsin[42]: ${line}`,
    wrapped,
    JSON.stringify({ message: wrapped }),
  ]) {
    assert.deepEqual(parseWitness(text), EXPECTED, text);
  }
});

test("other log lines are not witnesses", () => {
  for (const line of [
    "",
    CHAINED_MESSAGE,
    logLine({ day: "2026-01-31", digest: DIGEST }, "another message"),
    logLine({ day: "2026-01-31", digest: DIGEST.slice(1) }),
    logLine({ day: "2026-01-31", digest: `${DIGEST}0` }),
    logLine({ day: "2026-99-31", digest: DIGEST }),
    logLine({ digest: DIGEST }),
  ]) {
    assert.equal(parseWitness(line), null, line);
  }
});
