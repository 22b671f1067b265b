import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import type { ApnsScripted } from "../doubles/apns/apns-script.ts";
import { OTHER_TOPIC } from "../support/native.ts";
import { arrives, fails, retires, repeat } from "./fault-row.ts";
import type { ApnsRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const RST_CODES = { protocol: 1, internal: 2, refused: 7 } as const;

function respond(
  status: number,
  reason: string,
  headers: Record<string, string> = {},
): ApnsScripted {
  return { kind: "answer", status, reason, headers };
}

const HTML_ERROR: ApnsScripted = {
  kind: "answer",
  status: 502,
  body: "<html><h1>Bad Gateway</h1></html>",
};

/** Returns the row of a phone whose next requests get the scripted responses. */
function scriptedRow(
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

const INVALID_REQUESTS = [
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
  { behaviour: "200", expected: arrives(1) },
  {
    behaviour: "a token of the other environment",
    createPhone: ({ apnsSandbox }) => new SimulatedIphone(apnsSandbox),
    expected: arrives(2),
  },
  {
    behaviour: "a token of the other environment, second notification",
    createPhone: ({ apnsSandbox }) => new SimulatedIphone(apnsSandbox),
    arrange: ({ stage, device }) => stage.send(device),
    expected: arrives(1),
  },
  scriptedRow("BadDeviceToken in both environments", [respond(400, "BadDeviceToken")], {
    expected: retires("device_invalid", 2),
  }),
  {
    behaviour: "BadDeviceToken for a token that was valid in its environment",
    arrange: async ({ phone, stage, device }) => {
      await stage.send(device);
      phone.script(respond(400, "BadDeviceToken"));
    },
    expected: retires("device_invalid", 1),
  },
  {
    behaviour: "410 Unregistered",
    arrange: ({ phone, world }) => phone.uninstall(world.clock.now()),
    expected: retires("device_gone", 1),
  },
  scriptedRow("410 ExpiredToken without a timestamp", [respond(410, "ExpiredToken")], {
    expected: retires("device_gone", 1),
  }),
  {
    behaviour: "410 from before the registration, once",
    arrange: ({ phone, world: { clock } }) => {
      const timestampMs = clock.now() - DAY_MS;
      phone.script({ kind: "answer", status: 410, reason: "Unregistered", timestampMs });
    },
    expected: arrives(2, "transient"),
  },
  {
    behaviour: "410 from before the registration, always",
    arrange: ({ phone, world }) => phone.uninstall(world.clock.now() - DAY_MS),
    expected: fails("failed gave_up", 8, ...repeat(7, "transient")),
  },
  scriptedRow("410 without a reason, once", [{ kind: "answer", status: 410 }], {
    expected: arrives(2, "suspect"),
  }),
  scriptedRow("410 without a reason, twice", repeat(2, { kind: "answer", status: 410 }), {
    expected: retires("device_gone", 2, "suspect"),
  }),
  {
    behaviour: "DeviceTokenNotForTopic while others are accepted",
    createPhone: ({ apns }) => new SimulatedIphone(apns, OTHER_TOPIC),
    arrange: ({ sendToOthers }) => sendToOthers(6),
    expected: retires("device_invalid", 1),
  },
  {
    behaviour: "DeviceTokenNotForTopic while few others are accepted",
    arrange: async ({ phone, sendToOthers }) => {
      await sendToOthers(2);
      phone.script(respond(400, "DeviceTokenNotForTopic"));
    },
    waitMinMs: 60 * MINUTE_MS,
    expected: arrives(2, "provider_misconfigured"),
  },
  scriptedRow(
    "DeviceTokenNotForTopic without other sends",
    [respond(400, "DeviceTokenNotForTopic")],
    {
      expected: arrives(2, "provider_misconfigured held"),
    },
  ),
];

const RESPONSES: readonly ApnsRow[] = [
  ...REFUSED_CREDENTIALS.map(([status, reason]) =>
    scriptedRow(`${status} ${reason}`, [respond(status, reason)], {
      waitMinMs: 5 * MINUTE_MS,
      expected: arrives(2, "provider_misconfigured held"),
    }),
  ),
  ...INVALID_REQUESTS.map(([status, reason]) =>
    scriptedRow(`${status} ${reason}`, [respond(status, reason)], {
      expected: fails("rejected rejected", 1),
    }),
  ),
  scriptedRow("413 PayloadTooLarge", [respond(413, "PayloadTooLarge")], {
    expected: fails("rejected payload_too_large", 1),
  }),
  scriptedRow("400 IdleTimeout", [respond(400, "IdleTimeout")], { expected: arrives(2) }),
  scriptedRow("403 ExpiredProviderToken, once", [respond(403, "ExpiredProviderToken")], {
    expected: arrives(2),
  }),
  scriptedRow("403 ExpiredProviderToken, always", repeat(3, respond(403, "ExpiredProviderToken")), {
    expected: arrives(4, "provider_misconfigured held"),
  }),
  scriptedRow("403 UnrelatedKeyIdInToken, once", [respond(403, "UnrelatedKeyIdInToken")], {
    expected: arrives(2),
  }),
  scriptedRow(
    "403 UnrelatedKeyIdInToken, twice",
    repeat(2, respond(403, "UnrelatedKeyIdInToken")),
    {
      expected: arrives(3, "provider_misconfigured held"),
    },
  ),
  scriptedRow("429 TooManyRequests", [respond(429, "TooManyRequests")], {
    waitMinMs: 20_000,
    expected: arrives(2, "rate_limited"),
  }),
  scriptedRow("429 with Retry-After", [respond(429, "TooManyRequests", { "retry-after": "900" })], {
    waitMinMs: 15 * MINUTE_MS,
    expected: arrives(2, "rate_limited"),
  }),
  scriptedRow("429 TooManyProviderTokenUpdates", [respond(429, "TooManyProviderTokenUpdates")], {
    waitMinMs: 5 * MINUTE_MS,
    expected: arrives(2, "rate_limited held"),
  }),
  scriptedRow("500 InternalServerError", [respond(500, "InternalServerError")], {
    waitMinMs: 30_000,
    expected: arrives(2, "transient"),
  }),
  scriptedRow(
    "503 with Retry-After",
    [respond(503, "ServiceUnavailable", { "retry-after": "600" })],
    {
      waitMinMs: 10 * MINUTE_MS,
      expected: arrives(2, "transient"),
    },
  ),
  scriptedRow("503 Shutdown", [respond(503, "Shutdown")], { expected: arrives(2, "transient") }),
  scriptedRow("HTML 502 of a proxy", [HTML_ERROR], { expected: arrives(2, "transient") }),
  scriptedRow("302 to another URL", [{ kind: "answer", status: 302 }], {
    expected: arrives(2, "transient"),
  }),
  scriptedRow("500 always", repeat(8, respond(500, "InternalServerError")), {
    expected: fails("failed gave_up", 8, ...repeat(7, "transient")),
  }),
  scriptedRow("500 shortly before the expiry", [respond(500, "InternalServerError")], {
    ttlSeconds: 20,
    expected: arrives(2, "transient"),
  }),
  scriptedRow("500 until the expiry", repeat(2, respond(500, "InternalServerError")), {
    ttlSeconds: 20,
    expected: { ...fails("expired expired", 2, "transient"), attempts: 2 },
  }),
  scriptedRow("200 with truncated JSON", [{ kind: "answer", status: 200, body: '{"reason":' }], {
    expected: { ...arrives(1), shown: 0 },
  }),
];

const CONNECTIONS: readonly ApnsRow[] = [
  scriptedRow("RST_STREAM before the response", [{ kind: "rst", code: RST_CODES.internal }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptedRow(
    "RST_STREAM within the response, after the delivery",
    [{ kind: "rst", code: RST_CODES.internal, when: "after-headers", delivers: true }],
    { expected: arrives(1) },
  ),
  scriptedRow(
    "RST_STREAM after the delivery",
    [{ kind: "rst", code: RST_CODES.internal, delivers: true }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptedRow("a cut connection", [{ kind: "reset" }], { expected: arrives(2, "ambiguous") }),
  scriptedRow("a cut connection after the delivery", [{ kind: "reset", delivers: true }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptedRow("a refused stream", [{ kind: "rst", code: RST_CODES.refused }], {
    expected: arrives(2),
  }),
  scriptedRow("a stream refused four times", repeat(4, { kind: "rst", code: RST_CODES.refused }), {
    expected: arrives(5, "transient"),
  }),
  scriptedRow("GOAWAY before the request", [{ kind: "goaway", when: "before-request" }], {
    expected: arrives(2),
  }),
  scriptedRow(
    "GOAWAY with an error before the request",
    [{ kind: "goaway", when: "before-request", code: RST_CODES.protocol, reason: "Shutdown" }],
    { expected: arrives(2) },
  ),
  scriptedRow("GOAWAY after the request", [{ kind: "goaway", when: "after-request" }], {
    expected: arrives(1),
  }),
  scriptedRow("no response", [{ kind: "hang" }], { expected: arrives(2, "ambiguous") }),
  scriptedRow("no response after the delivery", [{ kind: "hang", delivers: true }], {
    expected: arrives(2, "ambiguous"),
  }),
  {
    behaviour: "unreachable, then back",
    arrange: ({ world: { apns } }) => {
      apns.listener.stopListening();
      apns.listener.goaway();
    },
    afterFirstAttempt: ({ world }) => world.apns.listener.listenAgain(),
    isDown: true,
    expected: arrives(1, "unreachable"),
  },
  {
    behaviour: "unreachable until the expiry",
    arrange: ({ world: { apns } }) => {
      apns.listener.stopListening();
      apns.listener.goaway();
    },
    restore: ({ world }) => world.apns.listener.listenAgain(),
    isDown: true,
    ttlSeconds: 12,
    expected: fails("expired expired", 0, "unreachable", "unreachable"),
  },
];

const OWNER_ACTIONS: readonly ApnsRow[] = [
  {
    behaviour: "paused before the send",
    arrange: ({ stage, device }) => stage.pause(device),
    expected: fails("skipped paused", 0),
  },
  scriptedRow("paused before a retry", [respond(503, "ServiceUnavailable")], {
    afterFirstAttempt: ({ stage, device }) => stage.pause(device),
    expected: fails("skipped paused", 1, "transient"),
  }),
  scriptedRow("removed before a retry", [respond(503, "ServiceUnavailable")], {
    afterFirstAttempt: ({ stage, device }) => stage.remove(device),
    expected: { ...fails("cancelled cancelled", 1, "transient"), isKept: false },
  }),
  scriptedRow("removed while the service is held", [respond(403, "InvalidProviderToken")], {
    afterFirstAttempt: ({ stage, device }) => stage.remove(device),
    expected: { ...fails("cancelled cancelled", 1, "provider_misconfigured held"), isKept: false },
  }),
];

/** Faults in deliveries to an iPhone. */
export const APNS_ROWS: readonly ApnsRow[] = [
  ...DEVICES,
  ...RESPONSES,
  ...CONNECTIONS,
  ...OWNER_ACTIONS,
];
