import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { test, type TestContext } from "node:test";
import { listen, LOOPBACK } from "../../../test/doubles/listen.ts";
import type { ApnsAddress } from "../provider.ts";
import { createApnsProvider, type ApnsDeps } from "./apns.ts";
import { checkApns } from "./check.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const APNS_ID = "eabeae54-14a8-11e5-b60b-1697f925ec7b";
const neverAborted = new AbortController().signal;
const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

const message = createPushMessage({
  body: "99 %",
  createdAt: NOW - 1_000,
  expiresAt: NOW + 3_600_000,
});

const unconfirmedAddress: ApnsAddress = {
  provider: "apns",
  token: "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
  environment: "production",
};
const confirmedAddress: ApnsAddress = { ...unconfirmedAddress, isConfirmed: true };

interface CannedResponse {
  readonly status: number;
  readonly reason?: string;
  readonly timestamp?: number;
  readonly date?: string;
}

/** Starts one environment with scripted responses, over HTTP/2 without TLS. */
async function startGateway(t: TestContext, respond: (path: string) => CannedResponse | null) {
  const paths: string[] = [];
  const server = createServer();
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream: ServerHttp2Stream, { ":path": path = "" }) => {
    paths.push(path);
    stream.on("error", () => {});
    const response = respond(path);
    if (response === null) return;
    const { status, reason, timestamp, date = new Date(NOW).toUTCString() } = response;
    stream.respond({ ":status": status, "apns-id": APNS_ID, date });
    stream.end(reason === undefined ? "" : JSON.stringify({ reason, timestamp }));
  });
  const port = await listen(server);
  t.after(async () => {
    const closed = once(server, "close");
    server.close();
    for (const session of sessions) session.destroy();
    await closed;
  });
  return { url: `http://${LOOPBACK}:${port}`, paths };
}

type Responder = CannedResponse | null | ((path: string) => CannedResponse | null);

/** Starts both environments. An environment with a null responder never responds. */
async function setUp(t: TestContext, responders: { production: Responder; sandbox: Responder }) {
  const start = async (responder: Responder) =>
    startGateway(t, typeof responder === "function" ? responder : () => responder);
  const production = await start(responders.production);
  const sandbox = await start(responders.sandbox);
  const deps: ApnsDeps = {
    key,
    keyId: "ABC123DEFG",
    teamId: "DEF123GHIJ",
    topic: "org.example.app",
    url: production.url,
    sandboxUrl: sandbox.url,
    now: () => NOW,
    elapsed: () => 0,
    random: () => 0.5,
  };
  return { deps, production, sandbox };
}

function openProvider(t: TestContext, deps: ApnsDeps) {
  const provider = createApnsProvider(deps);
  t.after(async () => provider.close());
  return provider;
}

const OK: CannedResponse = { status: 200 };
const UNKNOWN_DEVICE: CannedResponse = { status: 400, reason: "BadDeviceToken" };

test("the first accepted push confirms the environment", async (t) => {
  const { deps, production, sandbox } = await setUp(t, { production: OK, sandbox: OK });
  const provider = openProvider(t, deps);
  assert.deepEqual(await provider.send(message, unconfirmedAddress, neverAborted), {
    kind: "accepted",
    receipt: APNS_ID,
    updatedAddress: confirmedAddress,
  });
  assert.deepEqual(await provider.send(message, confirmedAddress, neverAborted), {
    kind: "accepted",
    receipt: APNS_ID,
  });
  assert.deepEqual(production.paths, Array(2).fill(`/3/device/${unconfirmedAddress.token}`));
  await provider.send(message, { ...confirmedAddress, environment: "sandbox" }, neverAborted);
  assert.equal(sandbox.paths.length, 1);
});

test("a device that its environment does not know is tried once in the other one", async (t) => {
  const { deps, production, sandbox } = await setUp(t, {
    production: UNKNOWN_DEVICE,
    sandbox: OK,
  });
  const provider = openProvider(t, deps);
  const outcome = await provider.send(message, unconfirmedAddress, neverAborted);
  assert.deepEqual(outcome, {
    kind: "accepted",
    receipt: APNS_ID,
    updatedAddress: { ...unconfirmedAddress, environment: "sandbox", isConfirmed: true },
  });
  assert.deepEqual([production.paths.length, sandbox.paths.length], [1, 1]);
});

test("a device with a confirmed environment is not tried in the other one", async (t) => {
  const { deps, sandbox } = await setUp(t, { production: UNKNOWN_DEVICE, sandbox: OK });
  const outcome = await openProvider(t, deps).send(message, confirmedAddress, neverAborted);
  const reason = { code: "device_invalid", detail: "Apple answered 400 BadDeviceToken" };
  assert.deepEqual(outcome, { kind: "gone", goneAt: NOW, reason });
  assert.equal(sandbox.paths.length, 0);
});

test("an error of the other environment concerns only the device", async (t) => {
  const table: readonly (readonly [CannedResponse, string])[] = [
    [UNKNOWN_DEVICE, "gone device_invalid"],
    [{ status: 410, reason: "Unregistered" }, "gone device_gone"],
    [{ status: 403, reason: "BadEnvironmentKeyIdInToken" }, "gone device_invalid"],
    [{ status: 403, reason: "InvalidProviderToken" }, "gone device_invalid"],
    [{ status: 400, reason: "TopicDisallowed" }, "retry provider_misconfigured"],
    [{ status: 400, reason: "DeviceTokenNotForTopic" }, "retry provider_misconfigured"],
    [{ status: 400, reason: "BadPriority" }, "rejected rejected"],
    [{ status: 503 }, "retry transient"],
    [{ status: 429, reason: "TooManyProviderTokenUpdates" }, "retry rate_limited"],
  ];
  let current: CannedResponse = OK;
  const { deps } = await setUp(t, { production: UNKNOWN_DEVICE, sandbox: () => current });
  for (const [response, expected] of table) {
    current = response;
    const provider = openProvider(t, deps);
    const outcome = await provider.send(message, unconfirmedAddress, neverAborted);
    assert.ok(outcome.kind !== "accepted");
    assert.equal(`${outcome.kind} ${outcome.reason.code}`, expected, response.reason ?? "");
    assert.ok(outcome.kind !== "retry" || outcome.affectsAllDevices !== true);
  }
});

test("a push is retried if the other environment is unreachable", async (t) => {
  const { deps } = await setUp(t, { production: UNKNOWN_DEVICE, sandbox: OK });
  const provider = openProvider(t, { ...deps, sandboxUrl: `http://${LOOPBACK}:1` });
  assert.deepEqual(await provider.send(message, unconfirmedAddress, neverAborted), {
    kind: "retry",
    reason: { code: "unreachable", detail: `${LOOPBACK}:1` },
    afterMs: null,
    isCounted: false,
    affectsAllDevices: false,
    // The environment that the device named is healthy.
    isInconclusive: true,
  });
});

test("a device is gone as of Apple's timestamp", async (t) => {
  const timestamp = NOW - 86_400_000;
  const unregistered = { status: 410, reason: "Unregistered", timestamp };
  const { deps } = await setUp(t, { production: unregistered, sandbox: OK });
  const outcome = await openProvider(t, deps).send(message, unconfirmedAddress, neverAborted);
  assert.equal(outcome.kind === "gone" && outcome.goneAt, timestamp);
});

test("a response timeout is ambiguous and counts as an attempt", async (t) => {
  const { deps } = await setUp(t, { production: null, sandbox: OK });
  const provider = openProvider(t, { ...deps, requestTimeoutMs: 500 });
  const outcome = await provider.send(message, confirmedAddress, neverAborted);
  assert.ok(outcome.kind === "retry");
  assert.equal(outcome.reason.code, "ambiguous");
  assert.ok(outcome.isCounted);
});

test("a message with a link that does not fit is not sent", async (t) => {
  const { deps, production } = await setUp(t, { production: OK, sandbox: OK });
  const link = `https://example.org/${"l".repeat(4_096)}`;
  const outcome = await openProvider(t, deps).send(
    { ...message, link },
    confirmedAddress,
    neverAborted,
  );
  assert.equal(outcome.kind === "rejected" && outcome.reason.code, "payload_too_large");
  assert.equal(production.paths.length, 0);
});

test("each environment is a separate service", async (t) => {
  const { deps } = await setUp(t, { production: OK, sandbox: OK });
  const provider = openProvider(t, deps);
  assert.equal(provider.getServiceName(unconfirmedAddress), "apns production");
  assert.equal(
    provider.getServiceName({ ...unconfirmedAddress, environment: "sandbox" }),
    "apns sandbox",
  );
  const fcmAddress = { provider: "fcm", kind: "token", token: "x" } as const;
  assert.throws(() => provider.getServiceName(fcmAddress), TypeError);
  await assert.rejects(provider.send(message, fcmAddress, neverAborted), TypeError);
});

test("the check passes if Apple accepts the key but does not know the device", async (t) => {
  const { deps, production } = await setUp(t, {
    production: UNKNOWN_DEVICE,
    sandbox: UNKNOWN_DEVICE,
  });
  const ok = { status: "ok", message: "Apple accepts this server's key.", mend: null };
  assert.deepEqual(await checkApns(deps, neverAborted), [
    { subject: "apns production", ...ok },
    { subject: "apns sandbox", ...ok },
  ]);
  assert.deepEqual(production.paths, [`/3/device/${"0".repeat(64)}`]);
});

test("the check says how to fix a refused credential", async (t) => {
  const restricted = { status: 403, reason: "BadEnvironmentKeyIdInToken" };
  const table: readonly (readonly [
    production: CannedResponse,
    sandbox: CannedResponse,
    status: "warn" | "fail",
    advice: RegExp,
  ])[] = [
    [restricted, UNKNOWN_DEVICE, "warn", /restricted to the other environment/u],
    [restricted, restricted, "fail", /restricted to the other environment/u],
    [{ status: 403, reason: "InvalidProviderToken" }, UNKNOWN_DEVICE, "fail", /belong together/u],
    [
      { status: 403, reason: "InvalidProviderToken", date: "Fri, 20 Nov 2026 11:50:00 GMT" },
      UNKNOWN_DEVICE,
      "fail",
      /it is 10 minutes ahead/u,
    ],
    [{ status: 400, reason: "TopicDisallowed" }, UNKNOWN_DEVICE, "fail", /TOCSIN_APNS_TOPIC/u],
    [{ status: 503 }, UNKNOWN_DEVICE, "warn", /Check again/u],
    [
      { status: 429, reason: "TooManyProviderTokenUpdates" },
      UNKNOWN_DEVICE,
      "warn",
      /Check again/u,
    ],
  ];
  for (const [production, sandbox, status, advice] of table) {
    const { deps } = await setUp(t, { production, sandbox });
    const [check] = await checkApns(deps, neverAborted);
    assert.equal(check?.status, status, production.reason ?? "");
    assert.match(check.message, /^Apple answered \d{3}(?: [A-Za-z]+)?\.$/u);
    assert.match(check.mend ?? "", advice);
  }
});

test("the check names the host and port that cannot be reached", async (t) => {
  const { deps } = await setUp(t, { production: UNKNOWN_DEVICE, sandbox: UNKNOWN_DEVICE });
  const [production, sandbox] = await checkApns(
    { ...deps, url: `http://${LOOPBACK}:1` },
    neverAborted,
  );
  assert.deepEqual(production, {
    subject: "apns production",
    status: "fail",
    message: `${LOOPBACK}:1 cannot be reached (ECONNREFUSED).`,
    mend: `Allow outbound TCP 1 to ${LOOPBACK}.`,
  });
  assert.equal(sandbox?.status, "ok");
});
