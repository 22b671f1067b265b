import assert from "node:assert/strict";
import http2, { type OutgoingHttpHeaders, type SecureClientSessionOptions } from "node:http2";
import { test, type TestContext } from "node:test";
import tls from "node:tls";
import { cert, deleteApp, initializeApp } from "firebase-admin/app";
import {
  getMessaging,
  type AndroidNotification,
  type Message,
  type Messaging,
} from "firebase-admin/messaging";
import { JWT } from "google-auth-library";
import { jwtVerify } from "jose";
import { buildRequest } from "#providers/fcm/message.ts";
import { createPushMessage } from "../../support/push-message.ts";
import { redirectGoogleConnections } from "./redirect-google.ts";
import { FcmClient } from "./fcm-client.ts";
import { FcmService, type FcmServiceOptions } from "./fcm-service.ts";
import * as errors from "./google-errors.ts";
import { SimulatedAndroid } from "./simulated-android.ts";

/** Starts the double with Google's firebase-admin as its client. */
async function setUp(t: TestContext, options: FcmServiceOptions = {}) {
  const service = await FcmService.start(options);
  redirectGoogleConnections(t, service);
  const account = JSON.parse(service.credentials);
  const app = initializeApp({ credential: cert(account) }, service.origin);
  t.after(async () => {
    await deleteApp(app);
    await service.close();
  });
  return { service, account, messaging: getMessaging(app) };
}

async function sendAndGetErrorCode(messaging: Messaging, message: Message): Promise<string> {
  const error = await messaging.send(message).then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(error instanceof Error && "code" in error);
  return String(error.code);
}

test("a connection to a host other than Google's fails", async (t) => {
  await setUp(t);
  assert.throws(() => tls.connect({ host: "example.org", port: 443 }), /must not leave/u);
});

test("firebase-admin requests one token, and every sent field arrives", async (t) => {
  const { service, messaging } = await setUp(t);
  const phone = new SimulatedAndroid(service);
  const data = { id: "01J", title: "Füße 🦊", body: "two\nlines" };
  const android = { priority: "high", ttl: 90_500, data } as const;
  const name = await messaging.send({ token: phone.token, android });
  const arrived = { data, priority: "HIGH", ttlSeconds: 90, collapseKey: null, notification: null };
  assert.deepEqual(await phone.next(), { ...arrived, name, sentTo: "token" });
  await messaging.send({ fid: phone.fid, android: { ...android, data: { id: "02J" } } });
  assert.equal((await phone.next()).sentTo, "fid");
  assert.match(await messaging.send({ token: phone.token, android }, true), /\/fake_message_id$/u);
  assert.equal(phone.deliveries.length, 2);
  assert.equal(service.issuedTokenCount, 1);
});

test("the provider sends the same request as firebase-admin", async (t) => {
  const { service, messaging } = await setUp(t);
  const { token, fid } = new SimulatedAndroid(service);
  const link = "https://example.org/";
  const message = createPushMessage({ link, createdAt: 0, expiresAt: 90_000 });
  for (const address of [
    { provider: "fcm", kind: "token", token },
    { provider: "fcm", kind: "fid", token: fid },
  ] as const) {
    const ownRequest = buildRequest({ message, address, now: 0 });
    assert.ok(ownRequest !== null);
    const { data } = ownRequest.message.android;
    const target = address.kind === "fid" ? { fid } : { token };
    await messaging.send({ ...target, android: { priority: "high", ttl: 90_000, data } });
    const libraryRequest = JSON.parse(String(service.requests.at(-1)?.body));
    // firebase-admin writes "high", the reference says HIGH; both are accepted.
    libraryRequest.message.android.priority = libraryRequest.message.android.priority.toUpperCase();
    assert.deepEqual(libraryRequest, ownRequest);
  }
});

test("the double accepts every notification field of firebase-admin", async (t) => {
  const { service, messaging } = await setUp(t);
  const phone = new SimulatedAndroid(service);
  const notification: AndroidNotification = {
    title: "t",
    body: "b",
    icon: "i",
    color: "#ff0000",
    sound: "s",
    tag: "g",
    imageUrl: "https://example.org/i.png",
    clickAction: "c",
    bodyLocKey: "k",
    bodyLocArgs: ["a"],
    titleLocKey: "k",
    titleLocArgs: ["a"],
    channelId: "n",
    ticker: "x",
    sticky: true,
    eventTimestamp: new Date(),
    localOnly: true,
    priority: "high",
    vibrateTimingsMillis: [100, 50],
    defaultVibrateTimings: false,
    defaultSound: true,
    lightSettings: { color: "#00ff00", lightOnDurationMillis: 10, lightOffDurationMillis: 20 },
    defaultLightSettings: false,
    visibility: "private",
    notificationCount: 3,
    proxy: "if_priority_lowered",
  };
  const android = {
    collapseKey: "k",
    restrictedPackageName: "org.example",
    directBootOk: true,
    bandwidthConstrainedOk: true,
    restrictedSatelliteOk: true,
    fcmOptions: { analyticsLabel: "l" },
    notification,
  };
  const apns = { headers: { "apns-priority": "10" }, payload: { aps: { alert: "a" } } };
  const webpush = { headers: { TTL: "1" }, notification: { title: "t" } };
  await messaging.send({ token: phone.token, android, apns, webpush, fcmOptions: {} });
  const { collapseKey, notification: sentNotification } = await phone.next();
  assert.equal(collapseKey, "k");
  assert.equal(sentNotification?.["notificationPriority"], "PRIORITY_HIGH");
});

test("firebase-admin maps each error response of the double to the expected code", async (t) => {
  const { service, messaging } = await setUp(t);
  const phone = new SimulatedAndroid(service);
  const { token, fid } = phone;
  const retryAfter = "120";
  const cases: readonly (readonly [errors.GoogleError, string])[] = [
    [errors.createUnregisteredError(), "messaging/registration-token-not-registered"],
    [errors.createUnknownProjectError(), "messaging/registration-token-not-registered"],
    [errors.createSenderIdMismatchError(), "messaging/mismatched-credential"],
    [errors.createPermissionDeniedError("p"), "messaging/mismatched-credential"],
    [errors.createApiDisabledError("p"), "messaging/mismatched-credential"],
    [errors.createInsufficientScopeError(), "messaging/mismatched-credential"],
    [errors.createMalformedTokenError(), "messaging/invalid-argument"],
    [errors.createMalformedTokenFieldError(), "messaging/invalid-argument"],
    [errors.createMessageTooBigError(), "messaging/invalid-argument"],
    [errors.createQuotaExceededError("device"), "messaging/message-rate-exceeded"],
    [errors.createQuotaExceededError("project", retryAfter), "messaging/message-rate-exceeded"],
    [errors.createRateLimitExceededError(retryAfter), "messaging/message-rate-exceeded"],
    [errors.createUnauthenticatedError("ACCESS_TOKEN_EXPIRED"), "messaging/third-party-auth-error"],
    [errors.createThirdPartyAuthError(), "messaging/third-party-auth-error"],
    [errors.createInternalError(), "messaging/internal-error"],
    // Retry-After is longer than the 60 s for which firebase-admin waits.
    [errors.createUnavailableError(retryAfter), "messaging/server-unavailable"],
    [errors.createHtmlPage(500), "messaging/internal-error"],
    [errors.createHtmlPage(502), "messaging/unknown-error"],
  ];
  for (const [error, code] of cases) {
    phone.script({ kind: "answer", ...error });
    assert.equal(await sendAndGetErrorCode(messaging, { token }), code, error.body);
  }
  phone.script({ kind: "answer", ...errors.createUnregisteredError() });
  assert.equal(
    await sendAndGetErrorCode(messaging, { fid }),
    "messaging/installation-id-not-registered",
  );
  assert.equal(phone.messages.length, 0);
});

test("firebase-admin reports the verdicts of the double, without a script, as the expected codes", async (t) => {
  const { service, messaging } = await setUp(t);
  const phone = new SimulatedAndroid(service);
  const otherProjectPhone = new SimulatedAndroid(service, { projectId: "another" });
  const { token } = phone;
  const data = { key: "x".repeat(4_094) };
  const topic = "news";
  assert.equal(
    await sendAndGetErrorCode(messaging, { token: "abc" }),
    "messaging/invalid-argument",
  );
  assert.equal(await sendAndGetErrorCode(messaging, { token, data }), "messaging/invalid-argument");
  assert.equal(
    await sendAndGetErrorCode(messaging, { token: otherProjectPhone.token }),
    "messaging/mismatched-credential",
  );
  assert.match(await messaging.send({ topic, data: { a: "b" } }), /\/messages\/0:/u);
  phone.uninstall();
  assert.equal(
    await sendAndGetErrorCode(messaging, { token }),
    "messaging/registration-token-not-registered",
  );
  service.tokenEndpoint.revokeAll();
  assert.equal(await sendAndGetErrorCode(messaging, { token }), "messaging/third-party-auth-error");
});

test("firebase-admin's HTTP/2 client delivers 250 messages with at most 100 concurrent streams", async (t) => {
  const { service, messaging } = await setUp(t);
  correctScheme(t);
  const phones = Array.from({ length: 250 }, () => new SimulatedAndroid(service));
  const { successCount } = await messaging.sendEach(phones.map(({ token }) => ({ token })));
  assert.equal(successCount, 250);
  const sessions = service.frontEnd.connections.filter(({ protocol }) => protocol === "h2");
  assert.deepEqual(
    sessions.map(({ requestCount }) => requestCount),
    [250],
  );
  assert.ok((sessions[0]?.concurrentRequestsMax ?? 0) <= 100);
  assert.deepEqual(service.frontEnd.violations, []);
});

/** Removes the colon of the scheme `https:` that firebase-admin sends, which Google's servers ignore but Node rejects. */
function correctScheme(t: TestContext): void {
  const connect = http2.connect;
  t.mock.method(http2, "connect", (url: string, options: SecureClientSessionOptions) => {
    const session = connect(url, options);
    const request = session.request.bind(session);
    t.mock.method(session, "request", (headers: OutgoingHttpHeaders) =>
      request({ ...headers, ":scheme": "https" }),
    );
    return session;
  });
}

test("a token of google-auth-library is accepted by the double, and the library reads refusals", async (t) => {
  const { service, account } = await setUp(t);
  const client = new FcmClient(service);
  t.after(() => client.close());
  const scopes = ["https://www.googleapis.com/auth/firebase.messaging"];
  const options = { email: account.client_email, key: account.private_key, scopes };
  const { access_token: token } = await new JWT(options).authorize();
  const unknownAccountJwt = new JWT({ ...options, email: "x@y.iam.gserviceaccount.com" });
  await assert.rejects(unknownAccountJwt.authorize(), /invalid_grant: Invalid grant: account not/u);
  const wrongScopeJwt = new JWT({ ...options, scopes: "https://mail.google.com/" });
  await assert.rejects(wrongScopeJwt.authorize(), /invalid_scope/u);
  const phone = new SimulatedAndroid(service);
  // `redirectGoogleConnections` rejects hosts other than Google's.
  t.mock.restoreAll();
  assert.equal((await client.send(String(token), { message: { token: phone.token } })).status, 200);
});

test("jose verifies the assertions of google-auth-library and of our client", async (t) => {
  const { service, account } = await setUp(t);
  const scopes = ["https://www.googleapis.com/auth/firebase.messaging"];
  const options = { email: account.client_email, key: account.private_key, scopes };
  await new JWT(options).authorize();
  const client = new FcmClient(service);
  const form = new URLSearchParams(service.tokenEndpoint.requests[0]?.body);
  const { publicKey } = service.tokenEndpoint;
  const expected = {
    algorithms: ["RS256"],
    audience: "https://oauth2.googleapis.com/token",
    issuer: account.client_email,
  };
  for (const assertion of [form.get("assertion") ?? "", client.createAssertion()]) {
    const { payload } = await jwtVerify(assertion, publicKey, expected);
    assert.equal(payload["scope"], scopes[0]);
    assert.equal(Number(payload.exp) - Number(payload.iat), 3_600);
  }
  await client.close();
});
