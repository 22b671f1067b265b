import assert from "node:assert/strict";
import { test } from "node:test";
import { interpretResponse } from "./interpret-response.ts";
import type { PushResponseHeaders } from "../post.ts";

const REQUESTED_AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR_MS = 60 * 60 * 1000;
const APPLE = "web.push.apple.com";
const GOOGLE = "fcm.googleapis.com";
const MOZILLA = "updates.push.services.mozilla.com";
const WINDOWS = "wns2-par02p.notify.windows.com";

interface Row {
  readonly host: string;
  readonly status: number;
  readonly headers?: PushResponseHeaders;
  readonly body?: string;
  /** `kind code`, followed by the remedy, the wait and `uncounted` if they apply. */
  readonly expected: string;
}

function interpret({ host, status, headers = {}, body = "" }: Row, isListedHost = true) {
  const context = { host, isListedHost, requestedAt: REQUESTED_AT, now: REQUESTED_AT + 400 };
  return interpretResponse({ status, headers, body }, context);
}

function summarize(row: Row, isListedHost = true): string {
  const { outcome, remedy } = interpret(row, isListedHost);
  const words: string[] = [outcome.kind];
  if (outcome.kind !== "accepted") words.push(outcome.reason.code);
  if (remedy !== null) words.push(`remedy ${remedy}`);
  if (outcome.kind === "retry" && outcome.afterMs !== null) words.push(`after ${outcome.afterMs}`);
  if (outcome.kind === "retry" && !outcome.isCounted) words.push("uncounted");
  return words.join(" ");
}

function describeDetail(row: Omit<Row, "expected">): string | null {
  const { outcome } = interpret({ ...row, expected: "" });
  return outcome.kind === "accepted" ? null : outcome.reason.detail;
}

function createAppleBody(reason: string): string {
  return JSON.stringify({ reason });
}

function createMozillaBody(code: number, errno: number, message = "x"): string {
  return JSON.stringify({ code, errno, error: "y", message });
}

const SUSPECT = `retry suspect after ${HOUR_MS}`;
const STALE_TOKEN = "refused provider_misconfigured remedy fresh_token";
const OTHER_VAPID_KEY = "gone subscription_key_changed";
const IN_2_S = { "retry-after": "2" };
const IN_30_S = { "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" };

const ROWS: readonly Row[] = [
  // The push service accepted the message.
  { host: GOOGLE, status: 200, expected: "accepted" },
  { host: APPLE, status: 201, expected: "accepted" },
  { host: MOZILLA, status: 202, expected: "accepted" },
  { host: WINDOWS, status: 204, expected: "accepted" },
  // A redirect is a problem of the endpoint.
  ...[300, 301, 302, 303, 307, 308].map((status) => ({ host: GOOGLE, status, expected: SUSPECT })),
  // 400 by its reason, and Apple's reasons for 404 and 405.
  {
    host: APPLE,
    status: 400,
    body: createAppleBody("VapidPkHashMismatch"),
    expected: OTHER_VAPID_KEY,
  },
  { host: APPLE, status: 400, body: createAppleBody("BadTtl"), expected: "rejected rejected" },
  { host: APPLE, status: 400, body: createAppleBody("BadUrgency"), expected: "rejected rejected" },
  {
    host: APPLE,
    status: 400,
    body: createAppleBody("BadWebPushTopic"),
    expected: "rejected rejected",
  },
  {
    host: APPLE,
    status: 400,
    body: createAppleBody("BadWebPushRequest"),
    expected: "rejected rejected",
  },
  { host: APPLE, status: 404, body: createAppleBody("BadPath"), expected: SUSPECT },
  {
    host: APPLE,
    status: 405,
    body: createAppleBody("MethodNotAllowed"),
    expected: "rejected rejected",
  },
  { host: APPLE, status: 400, body: createAppleBody("BadJwtToken"), expected: STALE_TOKEN },
  {
    host: APPLE,
    status: 400,
    body: createAppleBody("BadVapidPublicKey"),
    expected: "refused provider_misconfigured",
  },
  {
    host: APPLE,
    status: 400,
    body: createAppleBody("BadAuthorizationHeader"),
    expected: "refused provider_misconfigured",
  },
  { host: APPLE, status: 400, body: createAppleBody("IdleTimeout"), expected: "retry transient" },
  { host: APPLE, status: 400, body: createAppleBody("SomethingNew"), expected: SUSPECT },
  { host: GOOGLE, status: 400, body: "UnauthorizedRegistration", expected: OTHER_VAPID_KEY },
  { host: GOOGLE, status: 400, body: "<html>", expected: SUSPECT },
  ...[101, 108, 110, 111, 112, 113].map((errno) => ({
    host: MOZILLA,
    status: 400,
    body: createMozillaBody(400, errno),
    expected: "rejected rejected",
  })),
  { host: MOZILLA, status: 400, body: createMozillaBody(400, 999), expected: SUSPECT },
  // The push service refuses our credentials.
  { host: GOOGLE, status: 401, expected: STALE_TOKEN },
  { host: GOOGLE, status: 403, body: "<html>Forbidden</html>", expected: STALE_TOKEN },
  { host: APPLE, status: 403, body: createAppleBody("BadJwtToken"), expected: STALE_TOKEN },
  {
    host: APPLE,
    status: 403,
    body: createAppleBody("VapidPkHashMismatch"),
    expected: OTHER_VAPID_KEY,
  },
  { host: MOZILLA, status: 401, body: createMozillaBody(401, 109), expected: STALE_TOKEN },
  {
    host: MOZILLA,
    status: 401,
    body: createMozillaBody(401, 109, "VAPID public key mismatch"),
    expected: OTHER_VAPID_KEY,
  },
  {
    host: GOOGLE,
    status: 403,
    body: "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n",
    expected: OTHER_VAPID_KEY,
  },
  {
    host: GOOGLE,
    status: 403,
    body: "the key in the authorization header does not correspond to the sender ID used to subscribe this user.",
    expected: OTHER_VAPID_KEY,
  },
  // The subscription is gone, or suspected to be.
  { host: GOOGLE, status: 404, body: "<html>404</html>", expected: SUSPECT },
  {
    host: GOOGLE,
    status: 404,
    body: "push subscription has unsubscribed or expired.",
    expected: "gone device_gone",
  },
  { host: MOZILLA, status: 404, body: createMozillaBody(404, 102), expected: "gone device_gone" },
  { host: MOZILLA, status: 404, body: createMozillaBody(404, 900), expected: SUSPECT },
  { host: GOOGLE, status: 410, expected: "gone device_gone" },
  { host: MOZILLA, status: 410, body: createMozillaBody(410, 106), expected: "gone device_gone" },
  // The message is too large.
  { host: GOOGLE, status: 413, expected: "rejected payload_too_large remedy short_form" },
  {
    host: MOZILLA,
    status: 413,
    body: createMozillaBody(413, 104),
    expected: "rejected payload_too_large remedy short_form",
  },
  // The push service limits the rate.
  { host: WINDOWS, status: 406, expected: "retry rate_limited" },
  { host: WINDOWS, status: 406, headers: IN_2_S, expected: "retry rate_limited after 2000" },
  {
    host: APPLE,
    status: 429,
    body: createAppleBody("TooManyRequests"),
    expected: "retry rate_limited",
  },
  { host: GOOGLE, status: 429, headers: IN_30_S, expected: "retry rate_limited after 29600" },
  {
    host: GOOGLE,
    status: 429,
    headers: { "retry-after": "999999" },
    expected: `retry rate_limited after ${HOUR_MS}`,
  },
  // The push service failed temporarily.
  { host: GOOGLE, status: 408, expected: "retry transient" },
  {
    host: APPLE,
    status: 500,
    body: createAppleBody("InternalServerError"),
    expected: "retry transient",
  },
  { host: APPLE, status: 503, body: createAppleBody("Shutdown"), expected: "retry transient" },
  { host: MOZILLA, status: 503, body: createMozillaBody(503, 202), expected: "retry transient" },
  { host: MOZILLA, status: 503, headers: IN_2_S, expected: "retry transient after 2000" },
  { host: GOOGLE, status: 502, body: "<html>Bad gateway</html>", expected: "retry transient" },
  { host: GOOGLE, status: 522, expected: "retry transient" },
  // No push service documents these statuses.
  ...[402, 405, 409, 415, 418, 451].map((status) => ({ host: GOOGLE, status, expected: SUSPECT })),
];

test("every response leads to its outcome", () => {
  for (const row of ROWS) {
    assert.equal(summarize(row), row.expected, `${row.host} ${row.status} ${row.body ?? ""}`);
  }
});

test("a device is gone as of the request, not of the response", () => {
  const { outcome } = interpret({ host: GOOGLE, status: 410, expected: "" });
  assert.ok(outcome.kind === "gone");
  assert.equal(outcome.goneAt, REQUESTED_AT);
});

test("the receipt is Apple's id, never a `Location`, which is a capability", () => {
  const headers = { "apns-id": "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D", location: "https://x/m/1" };
  const { outcome } = interpret({ host: APPLE, status: 201, headers, expected: "" });
  assert.deepEqual(outcome, { kind: "accepted", receipt: headers["apns-id"] });
  const { location } = headers;
  const mozillaResult = interpret({
    host: MOZILLA,
    status: 201,
    headers: { location },
    expected: "",
  });
  assert.deepEqual(mozillaResult.outcome, { kind: "accepted", receipt: null });
});

test("a 403 from an unknown host delays only its own device", () => {
  const row = { host: "push.example.org", status: 403, expected: "" };
  const words = `retry provider_misconfigured remedy fresh_token after ${HOUR_MS}`;
  assert.equal(summarize(row, false), words);
});

test("a detail has the host, status and known reason, but no text of the push service", () => {
  const withReason = describeDetail({
    host: APPLE,
    status: 403,
    body: createAppleBody("BadJwtToken"),
  });
  assert.equal(withReason, "web.push.apple.com answered 403 BadJwtToken");
  const withErrno = describeDetail({
    host: MOZILLA,
    status: 404,
    body: createMozillaBody(404, 102),
  });
  assert.equal(withErrno, "updates.push.services.mozilla.com answered 404 errno 102");
  for (const body of [
    createAppleBody("<script>secret</script>"),
    JSON.stringify({ errno: "secret" }),
    JSON.stringify({ errno: 1e9 }),
    JSON.stringify(["secret"]),
    "null",
    "secret",
  ]) {
    assert.equal(
      describeDetail({ host: APPLE, status: 500, body }),
      "web.push.apple.com answered 500",
    );
  }
});
