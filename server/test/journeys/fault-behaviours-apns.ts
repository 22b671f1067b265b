import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import type { ApnsScripted } from "../doubles/apns/apns-script.ts";
import { OTHER_TOPIC } from "../support/native.ts";
import { arrives, fails, retires, times } from "./fault-row.ts";
import type { ApnsRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const RST = { protocol: 1, internal: 2, refused: 7 } as const;

function said(status: number, reason: string, headers: Record<string, string> = {}): ApnsScripted {
  return { kind: "answer", status, reason, headers };
}

const html: ApnsScripted = {
  kind: "answer",
  status: 502,
  body: "<html><h1>Bad Gateway</h1></html>",
};

/** Returns the row of a phone whose next requests are answered so. */
function answered(
  behaviour: string,
  script: readonly ApnsScripted[],
  rest: Omit<ApnsRow, "behaviour">,
): ApnsRow {
  return { behaviour, arrange: ({ phone }) => phone.script(...script), ...rest };
}

const REFUSED_CREDENTIALS = [
  [400, "TopicDisallowed"],
  [400, "BadTopic"],
  [400, "MissingTopic"],
  [403, "InvalidProviderToken"],
  [403, "MissingProviderToken"],
  [403, "BadEnvironmentKeyIdInToken"],
  [403, "Forbidden"],
  [403, "BadCertificate"],
  [403, "BadCertificateEnvironment"],
] as const;

const FAULTS_OF_OURS = [
  [400, "BadCollapseId"],
  [400, "BadExpirationDate"],
  [400, "BadMessageId"],
  [400, "BadPriority"],
  [400, "InvalidPushType"],
  [400, "DuplicateHeaders"],
  [400, "MissingDeviceToken"],
  [400, "PayloadEmpty"],
  [404, "BadPath"],
  [405, "MethodNotAllowed"],
] as const;

const DEVICES: readonly ApnsRow[] = [
  { behaviour: "200", comesTo: arrives(1) },
  {
    behaviour: "a token of the other environment",
    make: ({ apnsSandbox }) => new SimulatedIphone(apnsSandbox),
    comesTo: arrives(2),
  },
  {
    behaviour: "a token of the other environment, the second time",
    make: ({ apnsSandbox }) => new SimulatedIphone(apnsSandbox),
    arrange: ({ stage, device }) => stage.send(device),
    comesTo: arrives(1),
  },
  answered("BadDeviceToken in both environments", [said(400, "BadDeviceToken")], {
    comesTo: retires("device_invalid", 2),
  }),
  {
    behaviour: "BadDeviceToken of a token that was good in its environment",
    arrange: async ({ phone, stage, device }) => {
      await stage.send(device);
      phone.script(said(400, "BadDeviceToken"));
    },
    comesTo: retires("device_invalid", 1),
  },
  {
    behaviour: "410 Unregistered",
    arrange: ({ phone, world }) => phone.uninstall(world.clock.now()),
    comesTo: retires("device_gone", 1),
  },
  answered("410 ExpiredToken without a moment", [said(410, "ExpiredToken")], {
    comesTo: retires("device_gone", 1),
  }),
  {
    behaviour: "410 from before the registration, once",
    arrange: ({ phone, world: { clock } }) => {
      const timestampMs = clock.now() - DAY_MS;
      phone.script({ kind: "answer", status: 410, reason: "Unregistered", timestampMs });
    },
    comesTo: arrives(2, "transient"),
  },
  {
    behaviour: "410 from before the registration, always",
    arrange: ({ phone, world }) => phone.uninstall(world.clock.now() - DAY_MS),
    comesTo: fails("failed gave_up", 8, ...times(7, "transient")),
  },
  answered("410 without a reason, once", [{ kind: "answer", status: 410 }], {
    comesTo: arrives(2, "suspect"),
  }),
  answered("410 without a reason, twice", times(2, { kind: "answer", status: 410 }), {
    comesTo: retires("device_gone", 2, "suspect"),
  }),
  {
    behaviour: "DeviceTokenNotForTopic while others are accepted",
    make: ({ apns }) => new SimulatedIphone(apns, OTHER_TOPIC),
    arrange: ({ sendToOthers }) => sendToOthers(6),
    comesTo: retires("device_invalid", 1),
  },
  {
    behaviour: "DeviceTokenNotForTopic while few others are accepted",
    arrange: async ({ phone, sendToOthers }) => {
      await sendToOthers(2);
      phone.script(said(400, "DeviceTokenNotForTopic"));
    },
    leastWaitMs: 60 * MINUTE_MS,
    comesTo: arrives(2, "provider_misconfigured"),
  },
  answered("DeviceTokenNotForTopic alone", [said(400, "DeviceTokenNotForTopic")], {
    comesTo: arrives(2, "provider_misconfigured held"),
  }),
];

const ANSWERS: readonly ApnsRow[] = [
  ...REFUSED_CREDENTIALS.map(([status, reason]) =>
    answered(`${status} ${reason}`, [said(status, reason)], {
      leastWaitMs: 5 * MINUTE_MS,
      comesTo: arrives(2, "provider_misconfigured held"),
    }),
  ),
  ...FAULTS_OF_OURS.map(([status, reason]) =>
    answered(`${status} ${reason}`, [said(status, reason)], {
      comesTo: fails("rejected rejected", 1),
    }),
  ),
  answered("413 PayloadTooLarge", [said(413, "PayloadTooLarge")], {
    comesTo: fails("rejected payload_too_large", 1),
  }),
  answered("400 IdleTimeout", [said(400, "IdleTimeout")], { comesTo: arrives(2) }),
  answered("403 ExpiredProviderToken, once", [said(403, "ExpiredProviderToken")], {
    comesTo: arrives(2),
  }),
  answered("403 ExpiredProviderToken, always", times(3, said(403, "ExpiredProviderToken")), {
    comesTo: arrives(4, "provider_misconfigured held"),
  }),
  answered("403 UnrelatedKeyIdInToken, once", [said(403, "UnrelatedKeyIdInToken")], {
    comesTo: arrives(2),
  }),
  answered("403 UnrelatedKeyIdInToken, twice", times(2, said(403, "UnrelatedKeyIdInToken")), {
    comesTo: arrives(3, "provider_misconfigured held"),
  }),
  answered("429 TooManyRequests", [said(429, "TooManyRequests")], {
    leastWaitMs: 20_000,
    comesTo: arrives(2, "rate_limited"),
  }),
  answered("429 with Retry-After", [said(429, "TooManyRequests", { "retry-after": "900" })], {
    leastWaitMs: 15 * MINUTE_MS,
    comesTo: arrives(2, "rate_limited"),
  }),
  answered("429 TooManyProviderTokenUpdates", [said(429, "TooManyProviderTokenUpdates")], {
    leastWaitMs: 5 * MINUTE_MS,
    comesTo: arrives(2, "rate_limited held"),
  }),
  answered("500 InternalServerError", [said(500, "InternalServerError")], {
    leastWaitMs: 30_000,
    comesTo: arrives(2, "transient"),
  }),
  answered("503 with Retry-After", [said(503, "ServiceUnavailable", { "retry-after": "600" })], {
    leastWaitMs: 10 * MINUTE_MS,
    comesTo: arrives(2, "transient"),
  }),
  answered("503 Shutdown", [said(503, "Shutdown")], { comesTo: arrives(2, "transient") }),
  answered("HTML 502 of a proxy", [html], { comesTo: arrives(2, "transient") }),
  answered("302 to elsewhere", [{ kind: "answer", status: 302 }], {
    comesTo: arrives(2, "transient"),
  }),
  answered("500 always", times(8, said(500, "InternalServerError")), {
    comesTo: fails("failed gave_up", 8, ...times(7, "transient")),
  }),
  answered("500 shortly before it is too late", [said(500, "InternalServerError")], {
    ttlSeconds: 20,
    comesTo: arrives(2, "transient"),
  }),
  answered("500 until it is too late", times(2, said(500, "InternalServerError")), {
    ttlSeconds: 20,
    comesTo: { ...fails("expired expired", 2, "transient"), attempts: 2 },
  }),
  answered("200 with half a JSON", [{ kind: "answer", status: 200, body: '{"reason":' }], {
    comesTo: { ...arrives(1), shown: 0 },
  }),
];

const CONNECTIONS: readonly ApnsRow[] = [
  answered("RST_STREAM before the answer", [{ kind: "rst", code: RST.internal }], {
    comesTo: arrives(2, "ambiguous"),
  }),
  answered(
    "RST_STREAM within the answer, after it was delivered",
    [{ kind: "rst", code: RST.internal, when: "after-headers", delivers: true }],
    { comesTo: arrives(1) },
  ),
  answered(
    "RST_STREAM after it was delivered",
    [{ kind: "rst", code: RST.internal, delivers: true }],
    { comesTo: arrives(2, "ambiguous") },
  ),
  answered("a cut connection", [{ kind: "reset" }], { comesTo: arrives(2, "ambiguous") }),
  answered("a cut connection after it was delivered", [{ kind: "reset", delivers: true }], {
    comesTo: arrives(2, "ambiguous"),
  }),
  answered("a refused stream", [{ kind: "rst", code: RST.refused }], { comesTo: arrives(2) }),
  answered("a stream refused four times", times(4, { kind: "rst", code: RST.refused }), {
    comesTo: arrives(5, "transient"),
  }),
  answered("GOAWAY before the request", [{ kind: "goaway", when: "before-request" }], {
    comesTo: arrives(2),
  }),
  answered(
    "GOAWAY with an error before the request",
    [{ kind: "goaway", when: "before-request", code: RST.protocol, reason: "Shutdown" }],
    { comesTo: arrives(2) },
  ),
  answered("GOAWAY after the request", [{ kind: "goaway", when: "after-request" }], {
    comesTo: arrives(1),
  }),
  answered("no answer", [{ kind: "hang" }], { comesTo: arrives(2, "ambiguous") }),
  answered("no answer after it was delivered", [{ kind: "hang", delivers: true }], {
    comesTo: arrives(2, "ambiguous"),
  }),
  {
    behaviour: "unreachable, then back",
    arrange: ({ world: { apns } }) => {
      apns.entrance.stopListening();
      apns.entrance.goaway();
    },
    meanwhile: ({ world }) => world.apns.entrance.listenAgain(),
    isDown: true,
    comesTo: arrives(1, "unreachable"),
  },
  {
    behaviour: "unreachable until it is too late",
    arrange: ({ world: { apns } }) => {
      apns.entrance.stopListening();
      apns.entrance.goaway();
    },
    restore: ({ world }) => world.apns.entrance.listenAgain(),
    isDown: true,
    ttlSeconds: 12,
    comesTo: fails("expired expired", 0, "unreachable", "unreachable"),
  },
];

const OWNERS: readonly ApnsRow[] = [
  {
    behaviour: "paused before",
    arrange: ({ stage, device }) => stage.pause(device),
    comesTo: fails("skipped paused", 0),
  },
  answered("paused while it waits", [said(503, "ServiceUnavailable")], {
    meanwhile: ({ stage, device }) => stage.pause(device),
    comesTo: fails("skipped paused", 1, "transient"),
  }),
  answered("removed while it waits", [said(503, "ServiceUnavailable")], {
    meanwhile: ({ stage, device }) => stage.remove(device),
    comesTo: { ...fails("cancelled cancelled", 1, "transient"), isKept: false },
  }),
  answered("removed while it is held", [said(403, "InvalidProviderToken")], {
    meanwhile: ({ stage, device }) => stage.remove(device),
    comesTo: { ...fails("cancelled cancelled", 1, "provider_misconfigured held"), isKept: false },
  }),
];

/** Faults on the way to an iPhone. */
export const APNS_ROWS: readonly ApnsRow[] = [...DEVICES, ...ANSWERS, ...CONNECTIONS, ...OWNERS];
