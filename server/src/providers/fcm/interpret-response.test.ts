import assert from "node:assert/strict";
import { test } from "node:test";
import * as google from "../../../test/doubles/fcm/google-errors.ts";
import type { MismatchCause } from "../mismatch-classifier.ts";
import type { PushServiceResponse } from "../post.ts";
import { interpretResponse } from "./interpret-response.ts";

const REQUESTED_AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR_MS = 60 * 60 * 1000;

interface Conditions {
  readonly isPayloadProven?: boolean;
  readonly mismatch?: MismatchCause;
}

function interpret(
  response: PushServiceResponse,
  { isPayloadProven = true, mismatch = "device" }: Conditions = {},
) {
  return interpretResponse(response, {
    requestedAt: REQUESTED_AT,
    now: REQUESTED_AT + 400,
    isPayloadProven,
    classifyMismatch: () => mismatch,
  });
}

/** Returns `kind code`, then, if they apply, the wait, `uncounted`, `for all` and `token stale`. */
function summarize(response: PushServiceResponse, conditions?: Conditions): string {
  const { outcome, isAccessTokenStale } = interpret(response, conditions);
  const words: string[] = [outcome.kind];
  if (outcome.kind !== "accepted") words.push(outcome.reason.code);
  if (outcome.kind === "retry" && outcome.afterMs !== null) words.push(`after ${outcome.afterMs}`);
  if (outcome.kind === "retry" && !outcome.isCounted) words.push("uncounted");
  if (outcome.kind === "retry" && outcome.affectsAllDevices === true) words.push("for all");
  if (isAccessTokenStale) words.push("token stale");
  return words.join(" ");
}

function describeDetail(response: PushServiceResponse, conditions?: Conditions): string | null {
  const { outcome } = interpret(response, conditions);
  return outcome.kind === "accepted" ? null : outcome.reason.detail;
}

/** Returns a response in Google's error format that has only these fields. */
function createErrorResponse(
  status: number,
  fields: Readonly<Record<string, unknown>> = {},
): PushServiceResponse {
  return { status, headers: {}, body: JSON.stringify({ error: { code: status, ...fields } }) };
}

function createFcmDetail(errorCode: string) {
  return { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode };
}

const REFUSED = "refused provider_misconfigured";
const IN_30_S = "Fri, 20 Nov 2026 12:00:30 GMT";

type Row = readonly [name: string, response: PushServiceResponse, expected: string];

const TABLE: readonly Row[] = [
  // Our message is wrong.
  ["too big", google.createMessageTooBigError(), "rejected payload_too_large"],
  [
    "bad JSON",
    google.createInvalidJsonError([{ field: "message", description: "Unknown name" }]),
    "rejected rejected",
  ],
  [
    "a token of the wrong type is a bug in Tocsin",
    google.createInvalidJsonError([
      { field: "message.token", description: "Invalid value (TYPE_STRING)" },
    ]),
    "rejected rejected",
  ],
  [
    "bad ttl",
    google.createInvalidMessageError({ field: "message.android.ttl", description: "Invalid TTL" }),
    "rejected rejected",
  ],
  [
    "400 that says nothing",
    createErrorResponse(400, { status: "INVALID_ARGUMENT" }),
    "rejected rejected",
  ],
  [
    "400 of FCM that says nothing",
    createErrorResponse(400, {
      message: "Invalid argument.",
      details: [createFcmDetail("INVALID_ARGUMENT")],
    }),
    "rejected rejected",
  ],
  // The device is gone or wrong.
  ["malformed token", google.createMalformedTokenError(), "gone device_invalid"],
  ["malformed token, by field", google.createMalformedTokenFieldError(), "gone device_invalid"],
  ["unregistered", google.createUnregisteredError(), "gone device_gone"],
  ["token of another project", google.createSenderIdMismatchError(), "gone device_invalid"],
  // Our credentials are wrong.
  [
    "expired token",
    google.createUnauthenticatedError("ACCESS_TOKEN_EXPIRED"),
    `${REFUSED} token stale`,
  ],
  ["third party", google.createThirdPartyAuthError(), REFUSED],
  ["no permission", google.createPermissionDeniedError("p"), REFUSED],
  ["disabled", google.createApiDisabledError("p"), REFUSED],
  ["wrong scope", google.createInsufficientScopeError(), REFUSED],
  ["403 that says nothing", createErrorResponse(403), REFUSED],
  ["no such project", google.createUnknownProjectError(), REFUSED],
  // FCM limits the rate.
  [
    "project quota",
    google.createQuotaExceededError("project"),
    "retry rate_limited after 60000 for all",
  ],
  ["device quota", google.createQuotaExceededError("device"), "retry rate_limited after 60000"],
  [
    "device quota with a wait",
    google.createQuotaExceededError("device", "2"),
    "retry rate_limited after 2000",
  ],
  [
    "project quota with a date",
    google.createQuotaExceededError("project", IN_30_S),
    "retry rate_limited after 29600 for all",
  ],
  [
    "the front end's quota",
    google.createRateLimitExceededError(),
    "retry rate_limited after 60000 for all",
  ],
  ["429 as a page", google.createHtmlPage(429), "retry rate_limited after 60000 for all"],
  ["429 that says nothing", createErrorResponse(429), "retry rate_limited after 60000 for all"],
  // FCM or a proxy failed.
  ["500", google.createInternalError(), "retry transient"],
  ["503", google.createUnavailableError(), "retry transient"],
  ["503 with a wait", google.createUnavailableError("120"), "retry transient after 120000"],
  [
    "404 of FCM with another code",
    createErrorResponse(404, { details: [createFcmDetail("INTERNAL")] }),
    "retry transient",
  ],
  ["408", createErrorResponse(408), "retry transient"],
  ["409", createErrorResponse(409), "retry transient"],
  ["499", createErrorResponse(499), "retry transient"],
  ["502", google.createHtmlPage(502), "retry transient"],
  ["504", google.createHtmlPage(504), "retry transient"],
  ...[200, 302, 400, 401, 403, 404, 405, 413].map(
    (status) => [`${status} as a page`, google.createHtmlPage(status), "retry transient"] as const,
  ),
  ...[302, 400, 401, 403, 404, 500].map(
    (status) => [`${status} empty`, { status, headers: {}, body: "" }, "retry transient"] as const,
  ),
];

test("every FCM response leads to its outcome", () => {
  for (const [name, response, expected] of TABLE) assert.equal(summarize(response), expected, name);
});

test("the receipt of an accepted message is the last segment of its name, at most 128 characters", () => {
  const parseReceipt = (body: string) => {
    const { outcome } = interpret({ status: 200, headers: {}, body });
    assert.ok(outcome.kind === "accepted");
    return outcome.receipt;
  };
  assert.equal(parseReceipt('{"name":"projects/p/messages/0:17%ab"}'), "0:17%ab");
  assert.equal(
    parseReceipt(JSON.stringify({ name: `projects/p/messages/${"a".repeat(200)}` }))?.length,
    128,
  );
  for (const body of ["", "{", "{}", '{"name":7}', '{"name":"projects/p/messages/"}']) {
    assert.equal(parseReceipt(body), null, body);
  }
});

test("a quota error that names both device and project concerns the project", () => {
  const violation = { subject: "project:p", description: "Messages to one device and minute" };
  const type = "type.googleapis.com/google.rpc.QuotaFailure";
  const details = [{ "@type": type, violations: [violation] }];
  assert.match(summarize(createErrorResponse(429, { details })), /for all$/u);
});

test("a token counts as malformed only after FCM accepted a message", () => {
  const suspect = `retry suspect after ${HOUR_MS}`;
  const conditions = { isPayloadProven: false };
  assert.equal(summarize(google.createMalformedTokenError(), conditions), suspect);
  assert.equal(summarize(google.createMalformedTokenFieldError(), conditions), suspect);
});

test("an invalid FID is handled like an invalid token", () => {
  const violation = { field: "message.fid", description: "Invalid" };
  assert.equal(summarize(google.createInvalidMessageError(violation)), "gone device_invalid");
  const details = [createFcmDetail("INVALID_ARGUMENT")];
  const message = "The Firebase Installation ID is not valid";
  assert.equal(summarize(createErrorResponse(400, { message, details })), "gone device_invalid");
});

test("an error in another field does not blame the token", () => {
  const description = "The registration token has a ttl that is wrong";
  const violation = { field: "message.android.ttl", description };
  assert.equal(summarize(google.createInvalidMessageError(violation)), "rejected rejected");
});

test("a token of another project blames the device, the settings or neither", () => {
  const response = google.createSenderIdMismatchError();
  assert.equal(summarize(response, { mismatch: "device" }), "gone device_invalid");
  assert.equal(summarize(response, { mismatch: "settings" }), REFUSED);
  const unclear = `retry provider_misconfigured after ${HOUR_MS}`;
  assert.equal(summarize(response, { mismatch: "unclear" }), unclear);
});

test("only responses about a token of another project count as a mismatch", () => {
  let mismatchCount = 0;
  const classifyMismatch = () => {
    mismatchCount += 1;
    return "device" as const;
  };
  const context = {
    requestedAt: REQUESTED_AT,
    now: REQUESTED_AT,
    isPayloadProven: true,
    classifyMismatch,
  };
  for (const [, response] of TABLE) interpretResponse(response, context);
  assert.equal(mismatchCount, 1);
});

test("a device is gone as of the start of the attempt", () => {
  for (const response of [
    google.createUnregisteredError(),
    google.createMalformedTokenError(),
    google.createSenderIdMismatchError(),
  ]) {
    const { outcome } = interpret(response);
    assert.ok(outcome.kind === "gone");
    assert.equal(outcome.goneAt, REQUESTED_AT);
  }
});

test("a detail contains only Google's codes and the invalid field", () => {
  assert.equal(
    describeDetail(google.createSenderIdMismatchError()),
    "FCM answered 403 SENDER_ID_MISMATCH",
  );
  assert.equal(
    describeDetail(google.createApiDisabledError("p")),
    "FCM answered 403 PERMISSION_DENIED SERVICE_DISABLED",
  );
  const violation = { field: "message.android.data[3].x", description: "secret" };
  assert.equal(
    describeDetail(google.createInvalidMessageError(violation)),
    "FCM answered 400 INVALID_ARGUMENT: message.android.data[3].x",
  );
  for (const field of ["message token", "a".repeat(65), "<b>", "schlüssel", ""]) {
    const detail = describeDetail(
      google.createInvalidMessageError({ field, description: "secret" }),
    );
    assert.equal(detail, "FCM answered 400 INVALID_ARGUMENT", field);
  }
  const errorInfo = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SECRET" };
  const details = [createFcmDetail("SECRET"), errorInfo];
  assert.equal(
    describeDetail(createErrorResponse(403, { status: "SECRET", details })),
    "FCM answered 403",
  );
});

test("a body of any shape leads to an outcome", () => {
  const shapes: readonly unknown[] = [null, 7, "text", [], {}, [null], [[]], [{ "@type": 7 }]];
  for (const shape of shapes) {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      interpret(createErrorResponse(status, { message: shape, status: shape, details: shape }));
      interpret({ status, headers: {}, body: JSON.stringify({ error: shape }) });
      interpret({ status, headers: {}, body: JSON.stringify(shape) });
    }
    const detail = { "@type": "x.BadRequest", fieldViolations: shape };
    assert.equal(
      summarize(createErrorResponse(400, { details: [detail] })).split(" ")[0],
      "rejected",
    );
    const quota = { "@type": "x.QuotaFailure", violations: shape };
    assert.match(summarize(createErrorResponse(429, { details: [quota] })), /for all$/u);
  }
});
