import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeClock } from "./clock.ts";
import type { AskedService } from "./push-services.ts";

const NOON = Date.UTC(2026, 0, 1, 12);

test("the clock is compared with that of most push services", () => {
  const rows: readonly (readonly [readonly number[], string, RegExp])[] = [
    [[0, 0, 0], "ok", /agrees/],
    [[29, 29], "ok", /agrees/],
    [[-29], "ok", /agrees/],
    [[31, 31, 0], "warn", /31 s ahead/],
    [[-299, -299, -299], "warn", /299 s behind/],
    [[301, 301, 301], "fail", /5 minutes ahead/],
    [[-7_200, 0, -7_200], "fail", /120 minutes behind/],
    [[0, 0, 86_400], "ok", /agrees/],
  ];
  for (const [offsets, status, message] of rows) {
    const verdict = judgeClock(offsets.map((offset) => answered(NOON - offset * 1_000)));
    assert.equal(verdict.status, status, verdict.message);
    assert.match(verdict.message, message);
    assert.equal(verdict.mend === null, status === "ok");
  }
});

test("without an answer that contains the time, nothing is claimed", () => {
  const undated = answered(NOON);
  const asked = { ...undated.asked, headers: { date: "soon" } };
  for (const services of [[silent("ENOTFOUND")], [{ ...undated, asked }]]) {
    const verdict = judgeClock(services);
    assert.equal(verdict.status, "warn");
    assert.match(verdict.message, /could not be compared/);
  }
});

test("a clock by which every certificate is invalid is wrong", () => {
  const verdict = judgeClock([silent("CERT_NOT_YET_VALID"), silent("CERT_NOT_YET_VALID")]);
  assert.equal(verdict.status, "fail");
  const mixed = judgeClock([silent("CERT_NOT_YET_VALID"), silent("ECONNREFUSED")]);
  assert.equal(mixed.status, "warn");
});

function answered(dateMs: number): AskedService {
  const headers = { date: new Date(dateMs).toUTCString() };
  const at = NOON + 500;
  return {
    host: "push.example.com",
    at,
    asked: { kind: "answered", status: 404, headers, body: "" },
  };
}

function silent(code: string): AskedService {
  const fault = { kind: "broken", code } as const;
  return { host: "push.example.com", at: NOON, asked: { kind: "silent", fault } };
}
