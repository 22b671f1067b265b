import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { formatPlainLine } from "../../process/plain-line.ts";
import { CHAINED_DAY_MESSAGE, parseWitness } from "./witness.ts";

const DIGEST = "0123456789abcdef".repeat(4);
const EXPECTED = { day: 20_484, digest: DIGEST };

function formatLogLine(fields: object, message = CHAINED_DAY_MESSAGE): string {
  let output = "";
  pino({}, { write: (line: string) => (output = line) }).info(fields, message);
  return output;
}

test("a logged day and digest are found in every common log format", () => {
  const line = formatLogLine({ day: "2026-01-31", eventCount: 7, digest: DIGEST });
  const wrappedLine = JSON.stringify({ log: line, stream: "stdout" });
  for (const text of [
    line,
    formatPlainLine(line),
    `Feb 01 01:00:00 host tocsin[42]: ${line}`,
    wrappedLine,
    JSON.stringify({ message: wrappedLine }),
  ]) {
    assert.deepEqual(parseWitness(text), EXPECTED, text);
  }
});

test("other log lines are not witnesses", () => {
  for (const line of [
    "",
    CHAINED_DAY_MESSAGE,
    formatLogLine({ day: "2026-01-31", digest: DIGEST }, "another message"),
    formatLogLine({ day: "2026-01-31", digest: DIGEST.slice(1) }),
    formatLogLine({ day: "2026-01-31", digest: `${DIGEST}0` }),
    formatLogLine({ day: "2026-99-31", digest: DIGEST }),
    formatLogLine({ digest: DIGEST }),
  ]) {
    assert.equal(parseWitness(line), null, line);
  }
});
