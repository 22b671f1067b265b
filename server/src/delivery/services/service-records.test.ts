import assert from "node:assert/strict";
import test from "node:test";
import { ServiceRecords } from "./service-records.ts";

test("a provider's record has its latest acceptance and failure, but no inconclusive outcome or gone device", () => {
  const records = new ServiceRecords();
  const nothing = { lastAcceptedAt: null, lastFailure: null };
  const reason = { code: "transient", detail: "503" } as const;
  const retry = { kind: "retry", reason, afterMs: null, isCounted: true } as const;
  records.recordOutcome("webpush a.example", { outcome: null, at: 1 });
  records.recordOutcome("webpush a.example", {
    outcome: { ...retry, isInconclusive: true },
    at: 2,
  });
  records.recordOutcome("webpush a.example", {
    outcome: { kind: "gone", goneAt: 0, reason },
    at: 3,
  });
  assert.deepEqual(records.getRecord("webpush"), nothing);
  records.recordOutcome("webpush a.example", {
    outcome: { kind: "accepted", receipt: null },
    at: 4,
  });
  records.recordOutcome("webpush b.example", { outcome: retry, at: 5 });
  const lastFailure = { service: "webpush b.example", code: "transient", detail: "503", at: 5 };
  assert.deepEqual(records.getRecord("webpush"), { lastAcceptedAt: 4, lastFailure });
  assert.deepEqual(records.getRecord("fcm"), nothing);
});
