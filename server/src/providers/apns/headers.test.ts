import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../provider.ts";
import { createHeaders, NEVER_INDEXED_HEADERS } from "./headers.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const DAY_MS = 24 * 60 * 60 * 1000;

const message = createPushMessage({
  body: "99 %",
  createdAt: NOW - 1_000,
  expiresAt: NOW + 90_999,
});

function createTestHeaders(overrides: Partial<Message> = {}, deviceToken = "00fc13adff785122") {
  const authorization = "bearer a.b.c";
  const topic = "org.example.app";
  return createHeaders({
    message: { ...message, ...overrides },
    deviceToken,
    topic,
    authorization,
    now: NOW,
  });
}

test("a push has the headers of an alert", () => {
  const { "apns-id": id, ...others } = createTestHeaders();
  assert.deepEqual(others, {
    authorization: "bearer a.b.c",
    "apns-topic": "org.example.app",
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-expiration": String(NOW / 1000 + 90),
    "apns-collapse-id": "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
  });
  assert.match(id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
});

test("the id stays the same for all attempts for one device and notification", () => {
  const id = createTestHeaders()["apns-id"];
  assert.equal(createTestHeaders({ title: "other", expiresAt: NOW })["apns-id"], id);
  assert.notEqual(createTestHeaders({}, "00fc13adff785123")["apns-id"], id);
  assert.notEqual(
    createTestHeaders({ notificationId: "01JD3K9Z6Q8X5T2V7B4N1M0HCB" })["apns-id"],
    id,
  );
});

test("a push expires after at least one second and at most 30 days", () => {
  const getTtlSeconds = (expiresAt: number): number =>
    Number(createTestHeaders({ expiresAt })["apns-expiration"]) - NOW / 1000;
  assert.equal(getTtlSeconds(NOW + 1_999), 1);
  assert.equal(getTtlSeconds(NOW), 1);
  assert.equal(getTtlSeconds(0), 1);
  assert.equal(getTtlSeconds(NOW + 28 * DAY_MS), 28 * 24 * 60 * 60);
  assert.equal(getTtlSeconds(NOW + 31 * DAY_MS), 30 * 24 * 60 * 60);
});

test("the collapse id is a hash if the notification id has more than 64 bytes", () => {
  const getCollapseId = (notificationId: string): string =>
    createTestHeaders({ notificationId })["apns-collapse-id"] ?? "";
  assert.equal(getCollapseId("a".repeat(64)), "a".repeat(64));
  assert.match(getCollapseId("a".repeat(65)), /^[A-Za-z0-9_-]{43}$/u);
  assert.match(getCollapseId("é".repeat(33)), /^[A-Za-z0-9_-]{43}$/u);
  assert.notEqual(getCollapseId("a".repeat(65)), getCollapseId("a".repeat(66)));
});

test("secret and unrepeated headers stay out of the compression table", () => {
  assert.deepEqual([...NEVER_INDEXED_HEADERS].toSorted(), [":path", "apns-id", "authorization"]);
});
