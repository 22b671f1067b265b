import assert from "node:assert/strict";
import test from "node:test";
import { ServiceRecords } from "./service-records.ts";

test("records hold a provider's latest acceptance and failure, and only real responses", () => {
  const records = new ServiceRecords();
  const nothing = { lastAcceptedAt: null, lastFailure: null };
  const reason = { code: "transient", detail: "503" } as const;
  const retry = { kind: "retry", reason, afterMs: null, counted: true } as const;
  records.note("webpush a.example", { outcome: null, at: 1 });
  records.note("webpush a.example", { outcome: { ...retry, isNoSign: true }, at: 2 });
  records.note("webpush a.example", { outcome: { kind: "gone", asOf: 0, reason }, at: 3 });
  assert.deepEqual(records.of("webpush"), nothing);
  records.note("webpush a.example", { outcome: { kind: "accepted", receipt: null }, at: 4 });
  records.note("webpush b.example", { outcome: retry, at: 5 });
  const lastFailure = { service: "webpush b.example", code: "transient", detail: "503", at: 5 };
  assert.deepEqual(records.of("webpush"), { lastAcceptedAt: 4, lastFailure });
  assert.deepEqual(records.of("fcm"), nothing);
});
