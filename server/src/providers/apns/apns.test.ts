import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http2";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { listen, LOOPBACK } from "../../../test/doubles/listen.ts";
import type { ApnsAddress } from "../provider.ts";
import { createApnsProvider } from "./apns.ts";
import type { ApnsSettings } from "./apns.ts";
import { checkApns } from "./check.ts";
import { messageWith } from "../../../test/support/push-message.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const ID = "eabeae54-14a8-11e5-b60b-1697f925ec7b";
const never = new AbortController().signal;
const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

const message = messageWith({ body: "99 %", createdAt: NOW - 1_000, expiresAt: NOW + 3_600_000 });

const unconfirmed: ApnsAddress = {
  provider: "apns",
  token: "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
  environment: "production",
};
const confirmed: ApnsAddress = { ...unconfirmed, isConfirmed: true };

interface Said {
  readonly status: number;
  readonly reason?: string;
  readonly timestamp?: number;
  readonly date?: string;
}

/** Starts one environment whose answers the test scripts, over HTTP/2 without TLS. */
async function startGateway(t: TestContext, say: (path: string) => Said | null) {
  const paths: string[] = [];
  const server = createServer();
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream: ServerHttp2Stream, { ":path": path = "" }) => {
    paths.push(path);
    stream.on("error", () => {});
    const said = say(path);
    if (said === null) return;
    const { status, reason, timestamp, date = new Date(NOW).toUTCString() } = said;
    stream.respond({ ":status": status, "apns-id": ID, date });
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

type Say = Said | null | ((path: string) => Said | null);

/** Starts both environments; null means no answer. */
async function stage(t: TestContext, says: { production: Say; sandbox: Say }) {
  const start = async (say: Say) => startGateway(t, typeof say === "function" ? say : () => say);
  const production = await start(says.production);
  const sandbox = await start(says.sandbox);
  const settings: ApnsSettings = {
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
  return { settings, production, sandbox };
}

function providerOf(t: TestContext, settings: ApnsSettings) {
  const provider = createApnsProvider(settings);
  t.after(async () => provider.close());
  return provider;
}

const OK: Said = { status: 200 };
const UNKNOWN: Said = { status: 400, reason: "BadDeviceToken" };

test("the first acceptance teaches that the environment is right, the later ones nothing", async (t) => {
  const { settings, production, sandbox } = await stage(t, { production: OK, sandbox: OK });
  const provider = providerOf(t, settings);
  assert.deepEqual(await provider.send(message, unconfirmed, never), {
    kind: "accepted",
    receipt: ID,
    learned: confirmed,
  });
  assert.deepEqual(await provider.send(message, confirmed, never), {
    kind: "accepted",
    receipt: ID,
  });
  assert.deepEqual(production.paths, Array(2).fill(`/3/device/${unconfirmed.token}`));
  await provider.send(message, { ...confirmed, environment: "sandbox" }, never);
  assert.equal(sandbox.paths.length, 1);
});

test("a device that its environment does not know is tried in the other, once and for good", async (t) => {
  const { settings, production, sandbox } = await stage(t, { production: UNKNOWN, sandbox: OK });
  const provider = providerOf(t, settings);
  const outcome = await provider.send(message, unconfirmed, never);
  assert.deepEqual(outcome, {
    kind: "accepted",
    receipt: ID,
    learned: { ...unconfirmed, environment: "sandbox", isConfirmed: true },
  });
  assert.deepEqual([production.paths.length, sandbox.paths.length], [1, 1]);
});

test("a device whose environment is confirmed is not tried in the other", async (t) => {
  const { settings, sandbox } = await stage(t, { production: UNKNOWN, sandbox: OK });
  const outcome = await providerOf(t, settings).send(message, confirmed, never);
  const reason = { code: "device_invalid", detail: "Apple answered 400 BadDeviceToken" };
  assert.deepEqual(outcome, { kind: "gone", asOf: NOW, reason });
  assert.equal(sandbox.paths.length, 0);
});

test("the other environment's word on a device counts for the device alone", async (t) => {
  const table: readonly (readonly [Said, string])[] = [
    [UNKNOWN, "gone device_invalid"],
    [{ status: 410, reason: "Unregistered" }, "gone device_gone"],
    [{ status: 403, reason: "BadEnvironmentKeyIdInToken" }, "gone device_invalid"],
    [{ status: 403, reason: "InvalidProviderToken" }, "gone device_invalid"],
    [{ status: 400, reason: "TopicDisallowed" }, "retry provider_misconfigured"],
    [{ status: 400, reason: "DeviceTokenNotForTopic" }, "retry provider_misconfigured"],
    [{ status: 400, reason: "BadPriority" }, "rejected rejected"],
    [{ status: 503 }, "retry transient"],
    [{ status: 429, reason: "TooManyProviderTokenUpdates" }, "retry rate_limited"],
  ];
  let said: Said = OK;
  const { settings } = await stage(t, { production: UNKNOWN, sandbox: () => said });
  for (const [answer, means] of table) {
    said = answer;
    const provider = providerOf(t, settings);
    const outcome = await provider.send(message, unconfirmed, never);
    assert.ok(outcome.kind !== "accepted");
    assert.equal(`${outcome.kind} ${outcome.reason.code}`, means, answer.reason ?? "");
    assert.ok(outcome.kind !== "retry" || outcome.isForAll !== true);
  }
});

test("an unreachable other environment decides nothing", async (t) => {
  const { settings } = await stage(t, { production: UNKNOWN, sandbox: OK });
  const provider = providerOf(t, { ...settings, sandboxUrl: `http://${LOOPBACK}:1` });
  assert.deepEqual(await provider.send(message, unconfirmed, never), {
    kind: "retry",
    reason: { code: "unreachable", detail: `${LOOPBACK}:1` },
    afterMs: null,
    counted: false,
    isForAll: false,
    // The environment that the device named is healthy.
    isNoSign: true,
  });
});

test("a device is gone since the moment that Apple names", async (t) => {
  const timestamp = NOW - 86_400_000;
  const said = { status: 410, reason: "Unregistered", timestamp };
  const { settings } = await stage(t, { production: said, sandbox: OK });
  const outcome = await providerOf(t, settings).send(message, unconfirmed, never);
  assert.equal(outcome.kind === "gone" && outcome.asOf, timestamp);
});

test("an answer that does not come in time is ambiguous, and counts", async (t) => {
  const { settings } = await stage(t, { production: null, sandbox: OK });
  const provider = providerOf(t, { ...settings, requestTimeoutMs: 500 });
  const outcome = await provider.send(message, confirmed, never);
  assert.ok(outcome.kind === "retry");
  assert.equal(outcome.reason.code, "ambiguous");
  assert.ok(outcome.counted);
});

test("a message whose link alone is too long is not sent", async (t) => {
  const { settings, production } = await stage(t, { production: OK, sandbox: OK });
  const link = `https://example.org/${"l".repeat(4_096)}`;
  const outcome = await providerOf(t, settings).send({ ...message, link }, confirmed, never);
  assert.equal(outcome.kind === "rejected" && outcome.reason.code, "payload_too_large");
  assert.equal(production.paths.length, 0);
});

test("each environment is a service of its own, and the provider takes no other address", async (t) => {
  const { settings } = await stage(t, { production: OK, sandbox: OK });
  const provider = providerOf(t, settings);
  assert.equal(provider.serviceOf(unconfirmed), "apns production");
  assert.equal(provider.serviceOf({ ...unconfirmed, environment: "sandbox" }), "apns sandbox");
  const foreign = { provider: "fcm", kind: "token", token: "x" } as const;
  assert.throws(() => provider.serviceOf(foreign), TypeError);
  await assert.rejects(provider.send(message, foreign, never), TypeError);
});

test("the check is content where Apple knows the key and not the device", async (t) => {
  const { settings, production } = await stage(t, { production: UNKNOWN, sandbox: UNKNOWN });
  const ok = { status: "ok", message: "Apple takes this server's key.", mend: null };
  assert.deepEqual(await checkApns(settings, never), [
    { subject: "apns production", ...ok },
    { subject: "apns sandbox", ...ok },
  ]);
  assert.deepEqual(production.paths, [`/3/device/${"0".repeat(64)}`]);
});

test("the check says how to fix a refusal, and only warns of a key for one environment", async (t) => {
  const restricted = { status: 403, reason: "BadEnvironmentKeyIdInToken" };
  const table: readonly (readonly [Said, Said, "warn" | "fail", RegExp])[] = [
    [restricted, UNKNOWN, "warn", /restricted to the other environment/u],
    [restricted, restricted, "fail", /restricted to the other environment/u],
    [{ status: 403, reason: "InvalidProviderToken" }, UNKNOWN, "fail", /belong together/u],
    [
      { status: 403, reason: "InvalidProviderToken", date: "Fri, 20 Nov 2026 11:50:00 GMT" },
      UNKNOWN,
      "fail",
      /it is 10 minutes ahead/u,
    ],
    [{ status: 400, reason: "TopicDisallowed" }, UNKNOWN, "fail", /TOCSIN_APNS_TOPIC/u],
    [{ status: 503 }, UNKNOWN, "warn", /Ask again/u],
    [{ status: 429, reason: "TooManyProviderTokenUpdates" }, UNKNOWN, "warn", /Ask again/u],
  ];
  for (const [production, sandbox, status, mend] of table) {
    const { settings } = await stage(t, { production, sandbox });
    const [found] = await checkApns(settings, never);
    assert.equal(found?.status, status, production.reason ?? "");
    assert.match(found.message, /^Apple answered \d{3}(?: [A-Za-z]+)?\.$/u);
    assert.match(found.mend ?? "", mend);
  }
});

test("the check says which way out is closed", async (t) => {
  const { settings } = await stage(t, { production: UNKNOWN, sandbox: UNKNOWN });
  const [found, other] = await checkApns({ ...settings, url: `http://${LOOPBACK}:1` }, never);
  assert.deepEqual(found, {
    subject: "apns production",
    status: "fail",
    message: `${LOOPBACK}:1 cannot be reached (ECONNREFUSED).`,
    mend: `Allow outbound TCP 1 to ${LOOPBACK}.`,
  });
  assert.equal(other?.status, "ok");
});
