import assert from "node:assert/strict";
import { test } from "node:test";
import type { MismatchCause } from "../mismatch-classifier.ts";
import type { PushResponseHeaders } from "../post.ts";
import { interpretResponse } from "./interpret-response.ts";

const REQUESTED_AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

interface CannedResponse {
  readonly status: number;
  readonly reason?: string;
  readonly headers?: PushResponseHeaders;
  readonly body?: string;
  readonly mismatch?: MismatchCause;
  readonly renewalWaitMs?: number;
}

interface Row extends CannedResponse {
  /**
   * `kind code`, then, if they apply, the wait, `for all`, `uncounted`, the remedy, `retire`, and `token refused` or
   * `token unknown`.
   */
  readonly expected: string;
}

function interpret(response: CannedResponse) {
  const { status, reason, headers = {}, mismatch = "settings", renewalWaitMs = 0 } = response;
  const body = response.body ?? (reason === undefined ? "" : JSON.stringify({ reason }));
  return interpretResponse(
    { status, headers, body },
    {
      requestedAt: REQUESTED_AT,
      now: REQUESTED_AT + 400,
      getRenewalWaitMs: () => renewalWaitMs,
      classifyMismatch: () => mismatch,
    },
  );
}

function summarize(response: CannedResponse): string {
  const { outcome, remedy, shouldRetireConnection, tokenState: token } = interpret(response);
  const words: string[] = [outcome.kind];
  if (outcome.kind !== "accepted") words.push(outcome.reason.code);
  if (outcome.kind === "retry" && outcome.afterMs !== null) words.push(`after ${outcome.afterMs}`);
  if (outcome.kind === "retry" && outcome.affectsAllDevices === true) words.push("for all");
  if (outcome.kind === "retry" && !outcome.isCounted) words.push("uncounted");
  if (remedy !== null) words.push(remedy);
  if (shouldRetireConnection) words.push("retire");
  if (token !== "accepted") words.push(`token ${token}`);
  return words.join(" ");
}

function describeDetail(response: CannedResponse): string | null {
  const { outcome } = interpret(response);
  return outcome.kind === "accepted" ? null : outcome.reason.detail;
}

const REJECTED = "rejected rejected";
const REFUSED = "refused provider_misconfigured";
const TRANSIENT = "retry transient token unknown";
const SUSPECT = `retry suspect after ${HOUR_MS}`;
const TWO_SECONDS = { "retry-after": "2" };

const TABLE: readonly Row[] = [
  { status: 200, expected: "accepted" },
  { status: 204, expected: "accepted" },
  // 400: errors of the device.
  { status: 400, reason: "BadDeviceToken", expected: "gone device_invalid other_environment" },
  { status: 400, reason: "DeviceTokenNotForTopic", mismatch: "settings", expected: REFUSED },
  {
    status: 400,
    reason: "DeviceTokenNotForTopic",
    mismatch: "device",
    expected: "gone device_invalid",
  },
  {
    status: 400,
    reason: "DeviceTokenNotForTopic",
    mismatch: "unclear",
    expected: `retry provider_misconfigured after ${HOUR_MS}`,
  },
  // 400: errors of our topic.
  ...["TopicDisallowed", "BadTopic", "MissingTopic"].map((reason) => ({
    status: 400,
    reason,
    expected: REFUSED,
  })),
  // 400: bugs in Tocsin, including broadcast reasons and reasons that Apple may add later.
  ...[
    "BadCollapseId",
    "BadExpirationDate",
    "BadMessageId",
    "BadPriority",
    "InvalidPushType",
    "DuplicateHeaders",
    "MissingDeviceToken",
    "PayloadEmpty",
    "FeatureNotEnabled",
    "MissingChannelId",
    "BadChannelId",
    "ChannelNotRegistered",
    "BadRequestParams",
    "BadRequestPayload",
    "MissingPushType",
    "CannotCreateChannelConfig",
    "TopicMismatch",
    "SomethingNew",
  ].map((reason) => ({ status: 400, reason, expected: REJECTED })),
  { status: 400, body: "<html>", expected: REJECTED },
  // 400: an error of the connection.
  {
    status: 400,
    reason: "IdleTimeout",
    expected: "retry transient new_connection retire token unknown",
  },
  // 403: errors of our token.
  {
    status: 403,
    reason: "ExpiredProviderToken",
    expected: `${REFUSED} new_token retire token refused`,
  },
  {
    status: 403,
    reason: "UnrelatedKeyIdInToken",
    expected: `${REFUSED} new_connection retire token refused`,
  },
  ...[
    "InvalidProviderToken",
    "MissingProviderToken",
    "BadEnvironmentKeyIdInToken",
    "BadEnvironmentKeyInToken",
    "Forbidden",
    "BadCertificate",
    "BadCertificateEnvironment",
    "SomethingNew",
  ].map((reason) => ({ status: 403, reason, expected: `${REFUSED} token refused` })),
  { status: 403, body: "<html>", expected: `${REFUSED} token refused` },
  { status: 401, expected: `${REFUSED} token refused` },
  // Other bugs in Tocsin.
  { status: 404, reason: "BadPath", expected: REJECTED },
  { status: 404, body: "<html>", expected: REJECTED },
  { status: 405, reason: "MethodNotAllowed", expected: REJECTED },
  { status: 418, expected: REJECTED },
  { status: 413, reason: "PayloadTooLarge", expected: "rejected payload_too_large" },
  { status: 413, expected: "rejected payload_too_large" },
  // 410: a device ends only with Apple's own reason.
  { status: 410, reason: "Unregistered", expected: "gone device_gone" },
  { status: 410, reason: "ExpiredToken", expected: "gone device_gone" },
  { status: 410, reason: "SomethingNew", expected: SUSPECT },
  { status: 410, body: "<html>", expected: SUSPECT },
  // 429: limits of one device, or of our tokens on this connection.
  { status: 429, reason: "TooManyRequests", expected: "retry rate_limited" },
  {
    status: 429,
    reason: "TooManyRequests",
    headers: TWO_SECONDS,
    expected: "retry rate_limited after 2000",
  },
  { status: 429, expected: "retry rate_limited" },
  ...(
    [
      [0, 5],
      [4, 5],
      [12, 12],
      [20, 20],
      [300, 20],
    ] as const
  ).map(([minutesLeft, waitMinutes]) => ({
    status: 429,
    reason: "TooManyProviderTokenUpdates",
    renewalWaitMs: minutesLeft * MINUTE_MS,
    expected: `retry rate_limited after ${waitMinutes * MINUTE_MS} for all retire token refused`,
  })),
  // Apple or a proxy failed.
  { status: 500, reason: "InternalServerError", expected: TRANSIENT },
  { status: 503, reason: "ServiceUnavailable", expected: TRANSIENT },
  {
    status: 503,
    reason: "ServiceUnavailable",
    headers: TWO_SECONDS,
    expected: "retry transient after 2000 token unknown",
  },
  { status: 503, reason: "Shutdown", expected: "retry transient retire token unknown" },
  // Reasons count only with the status that Apple documents for them.
  { status: 500, reason: "BadDeviceToken", expected: TRANSIENT },
  ...[502, 504, 520, 522, 599].map((status) => ({ status, body: "<html>", expected: TRANSIENT })),
  { status: 408, expected: TRANSIENT },
  { status: 302, expected: TRANSIENT },
];

test("every response leads to its outcome", () => {
  for (const row of TABLE) {
    const { status, reason = "", body = "", mismatch = "", expected } = row;
    assert.equal(summarize(row), expected, `${status} ${reason}${body} ${mismatch}`);
  }
});

test("a receipt is Apple's id, if that is a UUID", () => {
  const id = "eabeae54-14a8-11e5-b60b-1697f925ec7b";
  const parseReceipt = (header: string): unknown => {
    const { outcome } = interpret({ status: 200, headers: { "apns-id": header } });
    return outcome.kind === "accepted" ? outcome.receipt : outcome;
  };
  assert.equal(parseReceipt(id), id);
  assert.equal(parseReceipt(id.toUpperCase()), id.toUpperCase());
  assert.equal(parseReceipt("<b>anything</b>"), null);
});

test("a device is gone as of Apple's timestamp, but never later than the request", () => {
  const getGoneAt = (timestamp: unknown): unknown => {
    const body = JSON.stringify({ reason: "Unregistered", timestamp });
    const { outcome } = interpret({ status: 410, body });
    return outcome.kind === "gone" ? outcome.goneAt : outcome;
  };
  assert.equal(getGoneAt(REQUESTED_AT - 5 * HOUR_MS), REQUESTED_AT - 5 * HOUR_MS);
  const invalidTimestamps = [
    undefined,
    null,
    "1700000000000",
    Math.floor(REQUESTED_AT / 1000),
    -1,
    1e300,
    1.5e12 + 0.5,
  ];
  for (const timestamp of [...invalidTimestamps, REQUESTED_AT + HOUR_MS]) {
    assert.equal(getGoneAt(timestamp), REQUESTED_AT, String(timestamp));
  }
  const { outcome } = interpret({ status: 400, reason: "BadDeviceToken" });
  assert.equal(outcome.kind === "gone" && outcome.goneAt, REQUESTED_AT);
});

test("a detail contains only the status and a known reason", () => {
  assert.equal(
    describeDetail({ status: 403, reason: "InvalidProviderToken" }),
    "Apple answered 403 InvalidProviderToken",
  );
  assert.equal(
    describeDetail({ status: 403, reason: "ExpiredProviderToken" }),
    "Apple answered 403 ExpiredProviderToken: check the clock of this server",
  );
  for (const body of [
    '{"reason":"Secret"}',
    '{"reason":["Forbidden"]}',
    "null",
    "<p>Secret",
    "[]",
  ]) {
    assert.equal(describeDetail({ status: 403, body }), "Apple answered 403");
  }
});
