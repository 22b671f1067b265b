import assert from "node:assert/strict";
import { test } from "node:test";
import type { MismatchVerdict } from "../mismatch-share.ts";
import type { AnswerHeaders } from "../post.ts";
import { judgeAnswer } from "./answer.ts";

const ASKED_AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

interface Said {
  readonly status: number;
  readonly reason?: string;
  readonly headers?: AnswerHeaders;
  readonly body?: string;
  readonly mismatch?: MismatchVerdict;
  readonly msToRenewal?: number;
}

interface Row extends Said {
  /** `kind code`, then as far as they apply: the wait, `for all`, the remedy, `spent` and the state of the token. */
  readonly means: string;
}

function judge(said: Said) {
  const { status, reason, headers = {}, mismatch = "settings", msToRenewal = 0 } = said;
  const body = said.body ?? (reason === undefined ? "" : JSON.stringify({ reason }));
  return judgeAnswer(
    { status, headers, body },
    { askedAt: ASKED_AT, now: ASKED_AT + 400, msToRenewal, judgeMismatch: () => mismatch },
  );
}

function inWords(said: Said): string {
  const { outcome, remedy, isConnectionSpent, token } = judge(said);
  const words: string[] = [outcome.kind];
  if (outcome.kind !== "accepted") words.push(outcome.reason.code);
  if (outcome.kind === "retry" && outcome.afterMs !== null) words.push(`after ${outcome.afterMs}`);
  if (outcome.kind === "retry" && outcome.isForAll === true) words.push("for all");
  if (outcome.kind === "retry" && !outcome.counted) words.push("uncounted");
  if (remedy !== null) words.push(remedy);
  if (isConnectionSpent) words.push("spent");
  if (token !== "taken") words.push(`token ${token}`);
  return words.join(" ");
}

function detailOf(said: Said): string | null {
  const { outcome } = judge(said);
  return outcome.kind === "accepted" ? null : outcome.reason.detail;
}

const OURS = "rejected rejected";
const REFUSED = "refused provider_misconfigured";
const TRANSIENT = "retry transient token unknown";
const SUSPECT = `retry suspect after ${HOUR_MS}`;
const TWO_SECONDS = { "retry-after": "2" };

const TABLE: readonly Row[] = [
  { status: 200, means: "accepted" },
  { status: 204, means: "accepted" },
  // 400: the device.
  { status: 400, reason: "BadDeviceToken", means: "gone device_invalid other_environment" },
  { status: 400, reason: "DeviceTokenNotForTopic", mismatch: "settings", means: REFUSED },
  {
    status: 400,
    reason: "DeviceTokenNotForTopic",
    mismatch: "device",
    means: "gone device_invalid",
  },
  {
    status: 400,
    reason: "DeviceTokenNotForTopic",
    mismatch: "unclear",
    means: `retry provider_misconfigured after ${HOUR_MS}`,
  },
  // 400: our topic.
  ...["TopicDisallowed", "BadTopic", "MissingTopic"].map((reason) => ({
    status: 400,
    reason,
    means: REFUSED,
  })),
  // 400: a fault of ours, including broadcast reasons and reasons that Apple may add later.
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
  ].map((reason) => ({ status: 400, reason, means: OURS })),
  { status: 400, body: "<html>", means: OURS },
  // 400: the connection.
  {
    status: 400,
    reason: "IdleTimeout",
    means: "retry transient new_connection spent token unknown",
  },
  // 403: our token.
  {
    status: 403,
    reason: "ExpiredProviderToken",
    means: `${REFUSED} new_token spent token refused`,
  },
  {
    status: 403,
    reason: "UnrelatedKeyIdInToken",
    means: `${REFUSED} new_connection spent token refused`,
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
  ].map((reason) => ({ status: 403, reason, means: `${REFUSED} token refused` })),
  { status: 403, body: "<html>", means: `${REFUSED} token refused` },
  { status: 401, means: `${REFUSED} token refused` },
  // Other faults of ours.
  { status: 404, reason: "BadPath", means: OURS },
  { status: 404, body: "<html>", means: OURS },
  { status: 405, reason: "MethodNotAllowed", means: OURS },
  { status: 418, means: OURS },
  { status: 413, reason: "PayloadTooLarge", means: "rejected payload_too_large" },
  { status: 413, means: "rejected payload_too_large" },
  // 410: a device ends only with Apple's own reason.
  { status: 410, reason: "Unregistered", means: "gone device_gone" },
  { status: 410, reason: "ExpiredToken", means: "gone device_gone" },
  { status: 410, reason: "SomethingNew", means: SUSPECT },
  { status: 410, body: "<html>", means: SUSPECT },
  // 429: one device, or our token on this connection.
  { status: 429, reason: "TooManyRequests", means: "retry rate_limited" },
  {
    status: 429,
    reason: "TooManyRequests",
    headers: TWO_SECONDS,
    means: "retry rate_limited after 2000",
  },
  { status: 429, means: "retry rate_limited" },
  ...(
    [
      [0, 5],
      [4, 5],
      [12, 12],
      [20, 20],
      [300, 20],
    ] as const
  ).map(([left, wait]) => ({
    status: 429,
    reason: "TooManyProviderTokenUpdates",
    msToRenewal: left * MINUTE_MS,
    means: `retry rate_limited after ${wait * MINUTE_MS} for all spent token refused`,
  })),
  // A failure of Apple's, or of a proxy.
  { status: 500, reason: "InternalServerError", means: TRANSIENT },
  { status: 503, reason: "ServiceUnavailable", means: TRANSIENT },
  {
    status: 503,
    reason: "ServiceUnavailable",
    headers: TWO_SECONDS,
    means: "retry transient after 2000 token unknown",
  },
  { status: 503, reason: "Shutdown", means: "retry transient spent token unknown" },
  // Reasons count only with the status that Apple documents for them.
  { status: 500, reason: "BadDeviceToken", means: TRANSIENT },
  ...[502, 504, 520, 522, 599].map((status) => ({ status, body: "<html>", means: TRANSIENT })),
  { status: 408, means: TRANSIENT },
  { status: 302, means: TRANSIENT },
];

test("every answer has its meaning", () => {
  for (const row of TABLE) {
    const { status, reason = "", body = "", mismatch = "", means } = row;
    assert.equal(inWords(row), means, `${status} ${reason}${body} ${mismatch}`);
  }
});

test("a receipt is the id that Apple names, and nothing else it may send", () => {
  const id = "eabeae54-14a8-11e5-b60b-1697f925ec7b";
  const receiptOf = (header: string): unknown => {
    const { outcome } = judge({ status: 200, headers: { "apns-id": header } });
    return outcome.kind === "accepted" ? outcome.receipt : outcome;
  };
  assert.equal(receiptOf(id), id);
  assert.equal(receiptOf(id.toUpperCase()), id.toUpperCase());
  assert.equal(receiptOf("<b>anything</b>"), null);
});

test("a device is gone as of the moment that Apple names, never after we asked", () => {
  const asOf = (timestamp: unknown): unknown => {
    const body = JSON.stringify({ reason: "Unregistered", timestamp });
    const { outcome } = judge({ status: 410, body });
    return outcome.kind === "gone" ? outcome.asOf : outcome;
  };
  assert.equal(asOf(ASKED_AT - 5 * HOUR_MS), ASKED_AT - 5 * HOUR_MS);
  const insane = [
    undefined,
    null,
    "1700000000000",
    Math.floor(ASKED_AT / 1000),
    -1,
    1e300,
    1.5e12 + 0.5,
  ];
  for (const timestamp of [...insane, ASKED_AT + HOUR_MS]) {
    assert.equal(asOf(timestamp), ASKED_AT, String(timestamp));
  }
  const { outcome } = judge({ status: 400, reason: "BadDeviceToken" });
  assert.equal(outcome.kind === "gone" && outcome.asOf, ASKED_AT);
});

test("a detail names the status and a known reason, and quotes nothing else", () => {
  assert.equal(
    detailOf({ status: 403, reason: "InvalidProviderToken" }),
    "Apple answered 403 InvalidProviderToken",
  );
  assert.equal(
    detailOf({ status: 403, reason: "ExpiredProviderToken" }),
    "Apple answered 403 ExpiredProviderToken: check the clock of this server",
  );
  for (const body of [
    '{"reason":"Secret"}',
    '{"reason":["Forbidden"]}',
    "null",
    "<p>Secret",
    "[]",
  ]) {
    assert.equal(detailOf({ status: 403, body }), "Apple answered 403");
  }
});
