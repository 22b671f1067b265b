import assert from "node:assert/strict";
import { test } from "node:test";
import { assessClock } from "./clock.ts";
import type { ProbedService } from "./push-services.ts";

const NOON = Date.UTC(2026, 0, 1, 12);

test("the clock is compared with the median of the push services", () => {
  const cases: readonly (readonly [
    offsetsSeconds: readonly number[],
    status: string,
    message: RegExp,
  ])[] = [
    [[0, 0, 0], "ok", /agrees/],
    [[29, 29], "ok", /agrees/],
    [[-29], "ok", /agrees/],
    [[31, 31, 0], "warn", /31 s ahead/],
    [[-299, -299, -299], "warn", /299 s behind/],
    [[301, 301, 301], "fail", /5 minutes ahead/],
    [[-7_200, 0, -7_200], "fail", /120 minutes behind/],
    [[0, 0, 86_400], "ok", /agrees/],
  ];
  for (const [offsetsSeconds, status, message] of cases) {
    const verdict = assessClock(
      offsetsSeconds.map((seconds) => createAnsweredService(NOON - seconds * 1_000)),
    );
    assert.equal(verdict.status, status, verdict.message);
    assert.match(verdict.message, message);
    assert.equal(verdict.mend === null, status === "ok");
  }
});

test("the clock check warns if no response has a valid date header", () => {
  const answeredService = createAnsweredService(NOON);
  const result = { ...answeredService.result, headers: { date: "soon" } };
  for (const services of [[createSilentService("ENOTFOUND")], [{ ...answeredService, result }]]) {
    const verdict = assessClock(services);
    assert.equal(verdict.status, "warn");
    assert.match(verdict.message, /could not be compared/);
  }
});

test("the clock fails if every certificate seems expired or not yet valid, and warns if only some do", () => {
  const verdict = assessClock([
    createSilentService("CERT_NOT_YET_VALID"),
    createSilentService("CERT_NOT_YET_VALID"),
  ]);
  assert.equal(verdict.status, "fail");
  const mixedVerdict = assessClock([
    createSilentService("CERT_NOT_YET_VALID"),
    createSilentService("ECONNREFUSED"),
  ]);
  assert.equal(mixedVerdict.status, "warn");
});

function createAnsweredService(dateMs: number): ProbedService {
  const headers = { date: new Date(dateMs).toUTCString() };
  const probedAt = NOON + 500;
  return {
    host: "push.example.com",
    probedAt,
    result: { kind: "answered", status: 404, headers, body: "" },
  };
}

function createSilentService(code: string): ProbedService {
  const fault = { kind: "broken", code } as const;
  return { host: "push.example.com", probedAt: NOON, result: { kind: "silent", fault } };
}
