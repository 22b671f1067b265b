import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import type { ApnsScript } from "../doubles/apns/apns-script.ts";
import { OTHER_TOPIC } from "../support/native-app.ts";
import { arrives, fails, retires, repeat, type ApnsRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** HTTP/2 error codes (RFC 9113 section 7). */
const ERROR_CODES = { protocol: 1, internal: 2, refused: 7 } as const;

function respond(status: number, reason: string, headers: Record<string, string> = {}): ApnsScript {
  return { kind: "answer", status, reason, headers };
}

const HTML_ERROR: ApnsScript = {
  kind: "answer",
  status: 502,
  body: "<html><h1>Bad Gateway</h1></html>",
};

/** Returns the row of a phone whose next requests get the scripted responses. */
function scriptRow(
  behaviour: string,
  script: readonly ApnsScript[],
  fields: Omit<ApnsRow, "behaviour">,
): ApnsRow {
  return { behaviour, arrange: ({ phone }) => phone.script(...script), ...fields };
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
    arrange: ({ fixture, device }) => fixture.send(device),
    expected: arrives(1),
  },
  scriptRow("BadDeviceToken in both environments", [respond(400, "BadDeviceToken")], {
    expected: retires("device_invalid", 2),
  }),
  {
    behaviour: "BadDeviceToken for a token that was valid in its environment",
    arrange: async ({ phone, fixture, device }) => {
      await fixture.send(device);
      phone.script(respond(400, "BadDeviceToken"));
    },
    expected: retires("device_invalid", 1),
  },
  {
    behaviour: "410 Unregistered",
    arrange: ({ phone, services }) => phone.uninstall(services.clock.now()),
    expected: retires("device_gone", 1),
  },
  scriptRow("410 ExpiredToken without a timestamp", [respond(410, "ExpiredToken")], {
    expected: retires("device_gone", 1),
  }),
  {
    behaviour: "410 from before the registration, once",
    arrange: ({ phone, services: { clock } }) => {
      const timestampMs = clock.now() - DAY_MS;
      phone.script({ kind: "answer", status: 410, reason: "Unregistered", timestampMs });
    },
    expected: arrives(2, "transient"),
  },
  {
    behaviour: "410 from before the registration, always",
    arrange: ({ phone, services }) => phone.uninstall(services.clock.now() - DAY_MS),
    expected: fails("failed gave_up", 8, ...repeat(7, "transient")),
  },
  scriptRow("410 without a reason, once", [{ kind: "answer", status: 410 }], {
    expected: arrives(2, "suspect"),
  }),
  scriptRow("410 without a reason, twice", repeat(2, { kind: "answer", status: 410 }), {
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
  scriptRow(
    "DeviceTokenNotForTopic without other sends",
    [respond(400, "DeviceTokenNotForTopic")],
    { expected: arrives(2, "provider_misconfigured held") },
  ),
];

const RESPONSES: readonly ApnsRow[] = [
  ...REFUSED_CREDENTIALS.map(([status, reason]) =>
    scriptRow(`${status} ${reason}`, [respond(status, reason)], {
      waitMinMs: 5 * MINUTE_MS,
      expected: arrives(2, "provider_misconfigured held"),
    }),
  ),
  ...INVALID_REQUESTS.map(([status, reason]) =>
    scriptRow(`${status} ${reason}`, [respond(status, reason)], {
      expected: fails("rejected rejected", 1),
    }),
  ),
  scriptRow("413 PayloadTooLarge", [respond(413, "PayloadTooLarge")], {
    expected: fails("rejected payload_too_large", 1),
  }),
  scriptRow("400 IdleTimeout", [respond(400, "IdleTimeout")], { expected: arrives(2) }),
  scriptRow("403 ExpiredProviderToken, once", [respond(403, "ExpiredProviderToken")], {
    expected: arrives(2),
  }),
  scriptRow("403 ExpiredProviderToken, always", repeat(3, respond(403, "ExpiredProviderToken")), {
    expected: arrives(4, "provider_misconfigured held"),
  }),
  scriptRow("403 UnrelatedKeyIdInToken, once", [respond(403, "UnrelatedKeyIdInToken")], {
    expected: arrives(2),
  }),
  scriptRow("403 UnrelatedKeyIdInToken, twice", repeat(2, respond(403, "UnrelatedKeyIdInToken")), {
    expected: arrives(3, "provider_misconfigured held"),
  }),
  scriptRow("429 TooManyRequests", [respond(429, "TooManyRequests")], {
    waitMinMs: 20_000,
    expected: arrives(2, "rate_limited"),
  }),
  scriptRow("429 with Retry-After", [respond(429, "TooManyRequests", { "retry-after": "900" })], {
    waitMinMs: 15 * MINUTE_MS,
    expected: arrives(2, "rate_limited"),
  }),
  scriptRow("429 TooManyProviderTokenUpdates", [respond(429, "TooManyProviderTokenUpdates")], {
    waitMinMs: 5 * MINUTE_MS,
    expected: arrives(2, "rate_limited held"),
  }),
  scriptRow("500 InternalServerError", [respond(500, "InternalServerError")], {
    waitMinMs: 30_000,
    expected: arrives(2, "transient"),
  }),
  scriptRow(
    "503 with Retry-After",
    [respond(503, "ServiceUnavailable", { "retry-after": "600" })],
    {
      waitMinMs: 10 * MINUTE_MS,
      expected: arrives(2, "transient"),
    },
  ),
  scriptRow("503 Shutdown", [respond(503, "Shutdown")], { expected: arrives(2, "transient") }),
  scriptRow("HTML 502 of a proxy", [HTML_ERROR], { expected: arrives(2, "transient") }),
  scriptRow("302 to another URL", [{ kind: "answer", status: 302 }], {
    expected: arrives(2, "transient"),
  }),
  scriptRow("500 always", repeat(8, respond(500, "InternalServerError")), {
    expected: fails("failed gave_up", 8, ...repeat(7, "transient")),
  }),
  scriptRow("500 shortly before the expiry", [respond(500, "InternalServerError")], {
    ttlSeconds: 20,
    expected: arrives(2, "transient"),
  }),
  scriptRow("500 until the expiry", repeat(2, respond(500, "InternalServerError")), {
    ttlSeconds: 20,
    expected: { ...fails("expired expired", 2, "transient"), attemptCount: 2 },
  }),
  scriptRow("200 with truncated JSON", [{ kind: "answer", status: 200, body: '{"reason":' }], {
    expected: { ...arrives(1), shownCount: 0 },
  }),
];

const CONNECTIONS: readonly ApnsRow[] = [
  scriptRow(
    "RST_STREAM before the response",
    [{ kind: "reset-stream", code: ERROR_CODES.internal }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptRow(
    "RST_STREAM within the response, after the delivery",
    [{ kind: "reset-stream", code: ERROR_CODES.internal, when: "after-headers", delivers: true }],
    { expected: arrives(1) },
  ),
  scriptRow(
    "RST_STREAM after the delivery",
    [{ kind: "reset-stream", code: ERROR_CODES.internal, delivers: true }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptRow("a cut connection", [{ kind: "reset-connection" }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptRow("a cut connection after the delivery", [{ kind: "reset-connection", delivers: true }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptRow("a refused stream", [{ kind: "reset-stream", code: ERROR_CODES.refused }], {
    expected: arrives(2),
  }),
  scriptRow(
    "a stream refused four times",
    repeat(4, { kind: "reset-stream", code: ERROR_CODES.refused }),
    { expected: arrives(5, "transient") },
  ),
  scriptRow("GOAWAY before the request", [{ kind: "goaway", when: "before-request" }], {
    expected: arrives(2),
  }),
  scriptRow(
    "GOAWAY with an error before the request",
    [{ kind: "goaway", when: "before-request", code: ERROR_CODES.protocol, reason: "Shutdown" }],
    { expected: arrives(2) },
  ),
  scriptRow("GOAWAY after the request", [{ kind: "goaway", when: "after-request" }], {
    expected: arrives(1),
  }),
  scriptRow("no response", [{ kind: "hang" }], { expected: arrives(2, "ambiguous") }),
  scriptRow("no response after the delivery", [{ kind: "hang", delivers: true }], {
    expected: arrives(2, "ambiguous"),
  }),
  {
    behaviour: "unreachable, then back",
    arrange: ({ services: { apns } }) => {
      apns.listener.stopListening();
      apns.listener.goaway();
    },
    afterFirstAttempt: ({ services }) => services.apns.listener.listenAgain(),
    affectsEveryDevice: true,
    expected: arrives(1, "unreachable"),
  },
  {
    behaviour: "unreachable until the expiry",
    arrange: ({ services: { apns } }) => {
      apns.listener.stopListening();
      apns.listener.goaway();
    },
    restore: ({ services }) => services.apns.listener.listenAgain(),
    affectsEveryDevice: true,
    ttlSeconds: 12,
    expected: fails("expired expired", 0, "unreachable", "unreachable"),
  },
];

const OWNER_ACTIONS: readonly ApnsRow[] = [
  {
    behaviour: "paused before the send",
    arrange: ({ fixture, device }) => fixture.pause(device),
    expected: fails("skipped paused", 0),
  },
  scriptRow("paused before a retry", [respond(503, "ServiceUnavailable")], {
    afterFirstAttempt: ({ fixture, device }) => fixture.pause(device),
    expected: fails("skipped paused", 1, "transient"),
  }),
  scriptRow("removed before a retry", [respond(503, "ServiceUnavailable")], {
    afterFirstAttempt: ({ fixture, device }) => fixture.remove(device),
    expected: { ...fails("cancelled cancelled", 1, "transient"), isRegistered: false },
  }),
  scriptRow("removed while the service is held", [respond(403, "InvalidProviderToken")], {
    afterFirstAttempt: ({ fixture, device }) => fixture.remove(device),
    expected: {
      ...fails("cancelled cancelled", 1, "provider_misconfigured held"),
      isRegistered: false,
    },
  }),
];

/** Faults in deliveries to an iPhone. */
export const APNS_ROWS: readonly ApnsRow[] = [
  ...DEVICES,
  ...RESPONSES,
  ...CONNECTIONS,
  ...OWNER_ACTIONS,
];
