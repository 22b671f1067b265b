import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeAnswer } from "./answer.ts";
import type { AnswerHeaders } from "../post.ts";

const ASKED_AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR_MS = 60 * 60 * 1000;
const APPLE = "web.push.apple.com";
const GOOGLE = "fcm.googleapis.com";
const MOZILLA = "updates.push.services.mozilla.com";
const WINDOWS = "wns2-par02p.notify.windows.com";

interface Row {
  readonly host: string;
  readonly status: number;
  readonly headers?: AnswerHeaders;
  readonly body?: string;
  /** `kind code`, then as far as they apply: the remedy, the wait and whether it counts. */
  readonly means: string;
}

function judge({ host, status, headers = {}, body = "" }: Row, isVouchedFor = true) {
  const context = { host, isVouchedFor, askedAt: ASKED_AT, now: ASKED_AT + 400 };
  return judgeAnswer({ status, headers, body }, context);
}

function inWords(row: Row, isVouchedFor = true): string {
  const { outcome, remedy } = judge(row, isVouchedFor);
  const words: string[] = [outcome.kind];
  if (outcome.kind !== "accepted") words.push(outcome.reason.code);
  if (remedy !== null) words.push(`remedy ${remedy}`);
  if (outcome.kind === "retry" && outcome.afterMs !== null) words.push(`after ${outcome.afterMs}`);
  if (outcome.kind === "retry" && !outcome.counted) words.push("uncounted");
  return words.join(" ");
}

function detailOf(row: Omit<Row, "means">): string | null {
  const { outcome } = judge({ ...row, means: "" });
  return outcome.kind === "accepted" ? null : outcome.reason.detail;
}

function apple(reason: string): string {
  return JSON.stringify({ reason });
}

function mozilla(code: number, errno: number, message = "x"): string {
  return JSON.stringify({ code, errno, error: "y", message });
}

const SUSPECT = `retry suspect after ${HOUR_MS}`;
const STALE = "refused provider_misconfigured remedy fresh_token";
const FOREIGN = "gone subscription_key_changed";
const TWO_SECONDS = { "retry-after": "2" };
const IN_30_S = { "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" };

const TABLE: readonly Row[] = [
  // Accepted.
  { host: GOOGLE, status: 200, means: "accepted" },
  { host: APPLE, status: 201, means: "accepted" },
  { host: MOZILLA, status: 202, means: "accepted" },
  { host: WINDOWS, status: 204, means: "accepted" },
  // Redirects are a fault of the endpoint.
  ...[300, 301, 302, 303, 307, 308].map((status) => ({ host: GOOGLE, status, means: SUSPECT })),
  // 400 by its reason.
  { host: APPLE, status: 400, body: apple("VapidPkHashMismatch"), means: FOREIGN },
  { host: APPLE, status: 400, body: apple("BadTtl"), means: "rejected rejected" },
  { host: APPLE, status: 400, body: apple("BadUrgency"), means: "rejected rejected" },
  { host: APPLE, status: 400, body: apple("BadWebPushTopic"), means: "rejected rejected" },
  { host: APPLE, status: 400, body: apple("BadWebPushRequest"), means: "rejected rejected" },
  { host: APPLE, status: 404, body: apple("BadPath"), means: SUSPECT },
  { host: APPLE, status: 405, body: apple("MethodNotAllowed"), means: "rejected rejected" },
  { host: APPLE, status: 400, body: apple("BadJwtToken"), means: STALE },
  {
    host: APPLE,
    status: 400,
    body: apple("BadVapidPublicKey"),
    means: "refused provider_misconfigured",
  },
  {
    host: APPLE,
    status: 400,
    body: apple("BadAuthorizationHeader"),
    means: "refused provider_misconfigured",
  },
  { host: APPLE, status: 400, body: apple("IdleTimeout"), means: "retry transient" },
  { host: APPLE, status: 400, body: apple("SomethingNew"), means: SUSPECT },
  { host: GOOGLE, status: 400, body: "UnauthorizedRegistration", means: FOREIGN },
  { host: GOOGLE, status: 400, body: "<html>", means: SUSPECT },
  ...[101, 108, 110, 111, 112, 113].map((errno) => ({
    host: MOZILLA,
    status: 400,
    body: mozilla(400, errno),
    means: "rejected rejected",
  })),
  { host: MOZILLA, status: 400, body: mozilla(400, 999), means: SUSPECT },
  // Credentials.
  { host: GOOGLE, status: 401, means: STALE },
  { host: GOOGLE, status: 403, body: "<html>Forbidden</html>", means: STALE },
  { host: APPLE, status: 403, body: apple("BadJwtToken"), means: STALE },
  { host: APPLE, status: 403, body: apple("VapidPkHashMismatch"), means: FOREIGN },
  { host: MOZILLA, status: 401, body: mozilla(401, 109), means: STALE },
  {
    host: MOZILLA,
    status: 401,
    body: mozilla(401, 109, "VAPID public key mismatch"),
    means: FOREIGN,
  },
  {
    host: GOOGLE,
    status: 403,
    body: "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n",
    means: FOREIGN,
  },
  {
    host: GOOGLE,
    status: 403,
    body: "the key in the authorization header does not correspond to the sender ID used to subscribe this user.",
    means: FOREIGN,
  },
  // Gone, or suspected.
  { host: GOOGLE, status: 404, body: "<html>404</html>", means: SUSPECT },
  {
    host: GOOGLE,
    status: 404,
    body: "push subscription has unsubscribed or expired.",
    means: "gone device_gone",
  },
  { host: MOZILLA, status: 404, body: mozilla(404, 102), means: "gone device_gone" },
  { host: MOZILLA, status: 404, body: mozilla(404, 900), means: SUSPECT },
  { host: GOOGLE, status: 410, means: "gone device_gone" },
  { host: MOZILLA, status: 410, body: mozilla(410, 106), means: "gone device_gone" },
  // Too large.
  { host: GOOGLE, status: 413, means: "rejected payload_too_large remedy short_form" },
  {
    host: MOZILLA,
    status: 413,
    body: mozilla(413, 104),
    means: "rejected payload_too_large remedy short_form",
  },
  // Rate limited.
  { host: WINDOWS, status: 406, means: "retry rate_limited" },
  { host: WINDOWS, status: 406, headers: TWO_SECONDS, means: "retry rate_limited after 2000" },
  {
    host: APPLE,
    status: 429,
    body: apple("TooManyRequests"),
    means: "retry rate_limited",
  },
  { host: GOOGLE, status: 429, headers: IN_30_S, means: "retry rate_limited after 29600" },
  {
    host: GOOGLE,
    status: 429,
    headers: { "retry-after": "999999" },
    means: `retry rate_limited after ${HOUR_MS}`,
  },
  // Temporary failures.
  { host: GOOGLE, status: 408, means: "retry transient" },
  { host: APPLE, status: 500, body: apple("InternalServerError"), means: "retry transient" },
  { host: APPLE, status: 503, body: apple("Shutdown"), means: "retry transient" },
  { host: MOZILLA, status: 503, body: mozilla(503, 202), means: "retry transient" },
  { host: MOZILLA, status: 503, headers: TWO_SECONDS, means: "retry transient after 2000" },
  { host: GOOGLE, status: 502, body: "<html>Bad gateway</html>", means: "retry transient" },
  { host: GOOGLE, status: 522, means: "retry transient" },
  // Statuses that no push service documents.
  ...[402, 405, 409, 415, 418, 451].map((status) => ({ host: GOOGLE, status, means: SUSPECT })),
];

test("every answer of the table means what the table says", () => {
  for (const row of TABLE) {
    assert.equal(inWords(row), row.means, `${row.host} ${row.status} ${row.body ?? ""}`);
  }
});

test("a device is gone as of the question, not of the answer", () => {
  const { outcome } = judge({ host: GOOGLE, status: 410, means: "" });
  assert.ok(outcome.kind === "gone");
  assert.equal(outcome.asOf, ASKED_AT);
});

test("the receipt is Apple's id and never a Location, which would let its reader delete the message", () => {
  const headers = { "apns-id": "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D", location: "https://x/m/1" };
  const { outcome } = judge({ host: APPLE, status: 201, headers, means: "" });
  assert.deepEqual(outcome, { kind: "accepted", receipt: headers["apns-id"] });
  const { location } = headers;
  const other = judge({ host: MOZILLA, status: 201, headers: { location }, means: "" });
  assert.deepEqual(other.outcome, { kind: "accepted", receipt: null });
});

test("a 403 of an unknown host holds back only its own device", () => {
  const row = { host: "push.example.org", status: 403, means: "" };
  const words = `retry provider_misconfigured remedy fresh_token after ${HOUR_MS}`;
  assert.equal(inWords(row, false), words);
});

test("a detail names host, status and a known reason, and no text of the push service", () => {
  const known = detailOf({ host: APPLE, status: 403, body: apple("BadJwtToken") });
  assert.equal(known, "web.push.apple.com answered 403 BadJwtToken");
  const numbered = detailOf({ host: MOZILLA, status: 404, body: mozilla(404, 102) });
  assert.equal(numbered, "updates.push.services.mozilla.com answered 404 errno 102");
  for (const body of [
    apple("<script>secret</script>"),
    JSON.stringify({ errno: "secret" }),
    JSON.stringify({ errno: 1e9 }),
    JSON.stringify(["secret"]),
    "null",
    "secret",
  ]) {
    assert.equal(detailOf({ host: APPLE, status: 500, body }), "web.push.apple.com answered 500");
  }
});
