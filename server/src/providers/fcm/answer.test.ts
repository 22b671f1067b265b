import assert from "node:assert/strict";
import { test } from "node:test";
import * as google from "../../../test/doubles/fcm/google-errors.ts";
import type { MismatchVerdict } from "../mismatch-share.ts";
import type { Answer } from "../post.ts";
import { judgeAnswer } from "./answer.ts";

const ASKED_AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR_MS = 60 * 60 * 1000;

interface Conditions {
  readonly isPayloadProven?: boolean;
  readonly mismatch?: MismatchVerdict;
}

function judge(answer: Answer, { isPayloadProven = true, mismatch = "device" }: Conditions = {}) {
  return judgeAnswer(answer, {
    askedAt: ASKED_AT,
    now: ASKED_AT + 400,
    isPayloadProven,
    judgeMismatch: () => mismatch,
  });
}

/** Returns `kind code`, then, if they apply, the wait, whether it counts, whether it is for all, and the remedy. */
function summarize(answer: Answer, conditions?: Conditions): string {
  const { outcome, isTokenStale } = judge(answer, conditions);
  const words: string[] = [outcome.kind];
  if (outcome.kind !== "accepted") words.push(outcome.reason.code);
  if (outcome.kind === "retry" && outcome.afterMs !== null) words.push(`after ${outcome.afterMs}`);
  if (outcome.kind === "retry" && !outcome.counted) words.push("uncounted");
  if (outcome.kind === "retry" && outcome.isForAll === true) words.push("for all");
  if (isTokenStale) words.push("token stale");
  return words.join(" ");
}

function detailOf(answer: Answer, conditions?: Conditions): string | null {
  const { outcome } = judge(answer, conditions);
  return outcome.kind === "accepted" ? null : outcome.reason.detail;
}

/** Returns a response in Google's error format that matches no known error. */
function errorResponse(status: number, fields: Readonly<Record<string, unknown>> = {}): Answer {
  return { status, headers: {}, body: JSON.stringify({ error: { code: status, ...fields } }) };
}

function fcmDetail(errorCode: string) {
  return { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode };
}

const REFUSED = "refused provider_misconfigured";
const IN_30_S = "Fri, 20 Nov 2026 12:00:30 GMT";

const TABLE: readonly (readonly [string, Answer, string])[] = [
  // Errors of our message.
  ["too big", google.messageTooBig(), "rejected payload_too_large"],
  [
    "bad JSON",
    google.invalidJson([{ field: "message", description: "Unknown name" }]),
    "rejected rejected",
  ],
  [
    "a token of the wrong type is our fault",
    google.invalidJson([{ field: "message.token", description: "Invalid value (TYPE_STRING)" }]),
    "rejected rejected",
  ],
  [
    "bad ttl",
    google.invalidMessage({ field: "message.android.ttl", description: "Invalid TTL" }),
    "rejected rejected",
  ],
  [
    "400 that says nothing",
    errorResponse(400, { status: "INVALID_ARGUMENT" }),
    "rejected rejected",
  ],
  [
    "400 of FCM that says nothing",
    errorResponse(400, { message: "Invalid argument.", details: [fcmDetail("INVALID_ARGUMENT")] }),
    "rejected rejected",
  ],
  // Errors of the device.
  ["malformed token", google.malformedToken(), "gone device_invalid"],
  ["malformed token, by field", google.malformedTokenByField(), "gone device_invalid"],
  ["unregistered", google.unregistered(), "gone device_gone"],
  ["token of another project", google.senderIdMismatch(), "gone device_invalid"],
  // Errors of our credentials.
  ["expired token", google.unauthenticated("ACCESS_TOKEN_EXPIRED"), `${REFUSED} token stale`],
  ["third party", google.thirdPartyAuthError(), REFUSED],
  ["no permission", google.permissionDenied("p"), REFUSED],
  ["disabled", google.apiDisabled("p"), REFUSED],
  ["wrong scope", google.scopeInsufficient(), REFUSED],
  ["403 that says nothing", errorResponse(403), REFUSED],
  ["no such project", google.unknownProject(), REFUSED],
  // Rate limits.
  ["project quota", google.quotaExceeded("project"), "retry rate_limited after 60000 for all"],
  ["device quota", google.quotaExceeded("device"), "retry rate_limited after 60000"],
  [
    "device quota with a wait",
    google.quotaExceeded("device", "2"),
    "retry rate_limited after 2000",
  ],
  [
    "project quota with a date",
    google.quotaExceeded("project", IN_30_S),
    "retry rate_limited after 29600 for all",
  ],
  ["the front's quota", google.rateLimitExceeded(), "retry rate_limited after 60000 for all"],
  ["429 as a page", google.htmlPage(429), "retry rate_limited after 60000 for all"],
  ["429 that says nothing", errorResponse(429), "retry rate_limited after 60000 for all"],
  // Failures of the server, or of a proxy.
  ["500", google.internal(), "retry transient"],
  ["503", google.unavailable(), "retry transient"],
  ["503 with a wait", google.unavailable("120"), "retry transient after 120000"],
  [
    "404 of FCM with another code",
    errorResponse(404, { details: [fcmDetail("INTERNAL")] }),
    "retry transient",
  ],
  ["408", errorResponse(408), "retry transient"],
  ["409", errorResponse(409), "retry transient"],
  ["499", errorResponse(499), "retry transient"],
  ["502", google.htmlPage(502), "retry transient"],
  ["504", google.htmlPage(504), "retry transient"],
  ...[200, 302, 400, 401, 403, 404, 405, 413].map(
    (status) => [`${status} as a page`, google.htmlPage(status), "retry transient"] as const,
  ),
  ...[302, 400, 401, 403, 404, 500].map(
    (status) => [`${status} empty`, { status, headers: {}, body: "" }, "retry transient"] as const,
  ),
];

test("every FCM response leads to its outcome", () => {
  for (const [name, answer, expected] of TABLE) assert.equal(summarize(answer), expected, name);
});

test("the receipt of an accepted message is the end of its name", () => {
  const receiptOf = (body: string) => {
    const { outcome } = judge({ status: 200, headers: {}, body });
    assert.ok(outcome.kind === "accepted");
    return outcome.receipt;
  };
  assert.equal(receiptOf('{"name":"projects/p/messages/0:17%ab"}'), "0:17%ab");
  assert.equal(
    receiptOf(JSON.stringify({ name: `projects/p/messages/${"a".repeat(200)}` }))?.length,
    128,
  );
  for (const body of ["", "{", "{}", '{"name":7}', '{"name":"projects/p/messages/"}']) {
    assert.equal(receiptOf(body), null, body);
  }
});

test("a quota error that names both device and project concerns the project", () => {
  const violation = { subject: "project:p", description: "Messages to one device and minute" };
  const type = "type.googleapis.com/google.rpc.QuotaFailure";
  const details = [{ "@type": type, violations: [violation] }];
  assert.match(summarize(errorResponse(429, { details })), /for all$/u);
});

test("a token counts as malformed only after FCM accepted a message", () => {
  const suspect = `retry suspect after ${HOUR_MS}`;
  const conditions = { isPayloadProven: false };
  assert.equal(summarize(google.malformedToken(), conditions), suspect);
  assert.equal(summarize(google.malformedTokenByField(), conditions), suspect);
});

test("an invalid FID is handled like an invalid token", () => {
  const violation = { field: "message.fid", description: "Invalid" };
  assert.equal(summarize(google.invalidMessage(violation)), "gone device_invalid");
  const details = [fcmDetail("INVALID_ARGUMENT")];
  const message = "The Firebase Installation ID is not valid";
  assert.equal(summarize(errorResponse(400, { message, details })), "gone device_invalid");
});

test("an error in another field does not blame the token", () => {
  const description = "The registration token has a ttl that is wrong";
  const violation = { field: "message.android.ttl", description };
  assert.equal(summarize(google.invalidMessage(violation)), "rejected rejected");
});

test("a token of another project blames the device, the settings or neither", () => {
  const answer = google.senderIdMismatch();
  assert.equal(summarize(answer, { mismatch: "device" }), "gone device_invalid");
  assert.equal(summarize(answer, { mismatch: "settings" }), REFUSED);
  const unclear = `retry provider_misconfigured after ${HOUR_MS}`;
  assert.equal(summarize(answer, { mismatch: "unclear" }), unclear);
});

test("only responses about a token of another project count as a mismatch", () => {
  let counted = 0;
  const judgeMismatch = () => {
    counted += 1;
    return "device" as const;
  };
  const context = { askedAt: ASKED_AT, now: ASKED_AT, isPayloadProven: true, judgeMismatch };
  for (const [, answer] of TABLE) judgeAnswer(answer, context);
  assert.equal(counted, 1);
});

test("a device is gone as of the start of the attempt", () => {
  for (const answer of [
    google.unregistered(),
    google.malformedToken(),
    google.senderIdMismatch(),
  ]) {
    const { outcome } = judge(answer);
    assert.ok(outcome.kind === "gone");
    assert.equal(outcome.asOf, ASKED_AT);
  }
});

test("a detail contains only Google's codes and the invalid field", () => {
  assert.equal(detailOf(google.senderIdMismatch()), "FCM answered 403 SENDER_ID_MISMATCH");
  assert.equal(
    detailOf(google.apiDisabled("p")),
    "FCM answered 403 PERMISSION_DENIED SERVICE_DISABLED",
  );
  const violation = { field: "message.android.data[3].x", description: "secret" };
  assert.equal(
    detailOf(google.invalidMessage(violation)),
    "FCM answered 400 INVALID_ARGUMENT: message.android.data[3].x",
  );
  for (const field of ["message token", "a".repeat(65), "<b>", "schlüssel", ""]) {
    const detail = detailOf(google.invalidMessage({ field, description: "secret" }));
    assert.equal(detail, "FCM answered 400 INVALID_ARGUMENT", field);
  }
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SECRET" };
  const details = [fcmDetail("SECRET"), info];
  assert.equal(detailOf(errorResponse(403, { status: "SECRET", details })), "FCM answered 403");
});

test("a body of any shape leads to an outcome", () => {
  const shapes: readonly unknown[] = [null, 7, "text", [], {}, [null], [[]], [{ "@type": 7 }]];
  for (const shape of shapes) {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      judge(errorResponse(status, { message: shape, status: shape, details: shape }));
      judge({ status, headers: {}, body: JSON.stringify({ error: shape }) });
      judge({ status, headers: {}, body: JSON.stringify(shape) });
    }
    const detail = { "@type": "x.BadRequest", fieldViolations: shape };
    assert.equal(summarize(errorResponse(400, { details: [detail] })).split(" ")[0], "rejected");
    const quota = { "@type": "x.QuotaFailure", violations: shape };
    assert.match(summarize(errorResponse(429, { details: [quota] })), /for all$/u);
  }
});
