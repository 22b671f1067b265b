import type { PushScript } from "../doubles/push-script.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { arrives, fails, retires, repeat, type WebPushRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;

function respond(
  status: number,
  body: string | object = "",
  headers: Readonly<Record<string, string>> = {},
): PushScript {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", status, headers, body: text };
}

/** Returns the row of a browser whose next requests get the scripted responses. */
function scriptRow(
  behaviour: string,
  script: readonly PushScript[],
  fields: Omit<WebPushRow, "behaviour">,
): WebPushRow {
  return { behaviour, arrange: ({ phone }) => phone.script(...script), ...fields };
}

/** FCM's response for a browser that subscribed with another VAPID key. */
const OTHER_KEY_MESSAGE =
  "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.";
const BAD_JWT = respond(403, { reason: "BadJwtToken" });

const DEVICES: readonly WebPushRow[] = [
  { behaviour: "201", expected: arrives(1) },
  {
    behaviour: "410 after the subscription ended",
    arrange: ({ phone }) => phone.unsubscribe(),
    expected: retires("device_gone", 1),
  },
  scriptRow("404 with Mozilla's errno 102", [respond(404, { code: 404, errno: 102 })], {
    expected: retires("device_gone", 1),
  }),
  scriptRow("400 with Mozilla's errno 103", [respond(400, { code: 400, errno: 103 })], {
    expected: retires("device_gone", 1),
  }),
  scriptRow("a bare 404, once", [respond(404)], {
    waitMinMs: 60 * MINUTE_MS,
    expected: arrives(2, "suspect"),
  }),
  scriptRow("a bare 404, twice", repeat(2, respond(404)), {
    expected: retires("device_gone", 2, "suspect"),
  }),
  scriptRow("400 VapidPkHashMismatch", [respond(400, { reason: "VapidPkHashMismatch" })], {
    expected: retires("subscription_key_changed", 1),
  }),
  scriptRow("403 for another VAPID key", [respond(403, OTHER_KEY_MESSAGE)], {
    expected: retires("subscription_key_changed", 1),
  }),
  scriptRow("400 UnauthorizedRegistration", [respond(400, "UnauthorizedRegistration")], {
    expected: retires("subscription_key_changed", 1),
  }),
  scriptRow("307 to this machine, once", [respond(307, "", { location: "http://127.0.0.1:1/" })], {
    expected: arrives(2, "suspect"),
  }),
  scriptRow("307 to another URL, twice", repeat(2, respond(307, "", { location: "/elsewhere" })), {
    expected: retires("device_gone", 2, "suspect"),
  }),
  scriptRow("400 with an unknown body", [respond(400, "<html>No.</html>")], {
    expected: arrives(2, "suspect"),
  }),
  {
    behaviour: "410, but registered again during the request",
    arrange: ({ phone, services: { clock }, registerAgain }) => {
      const after = phone.waitForRequests(1).then(() => {
        clock.advance(1);
        return registerAgain();
      });
      phone.script({ ...respond(410), after });
    },
    expected: arrives(2, "transient"),
  },
];

const RESPONSES: readonly WebPushRow[] = [
  scriptRow("403 BadJwtToken, once", [BAD_JWT], { expected: arrives(2) }),
  scriptRow("403 BadJwtToken, twice", repeat(2, BAD_JWT), {
    waitMinMs: 5 * MINUTE_MS,
    expected: arrives(3, "provider_misconfigured held"),
  }),
  scriptRow("401 with an empty body, twice", repeat(2, respond(401)), {
    expected: arrives(3, "provider_misconfigured held"),
  }),
  scriptRow("400 BadVapidPublicKey", [respond(400, { reason: "BadVapidPublicKey" })], {
    expected: arrives(2, "provider_misconfigured held"),
  }),
  ...["BadTtl", "BadUrgency", "BadWebPushTopic", "BadWebPushRequest"].map((reason) =>
    scriptRow(`400 ${reason}`, [respond(400, { reason })], {
      expected: fails("rejected rejected", 1),
    }),
  ),
  scriptRow("413, once", [respond(413)], { expected: arrives(2) }),
  scriptRow("413, twice", repeat(2, respond(413)), {
    expected: fails("rejected payload_too_large", 2),
  }),
  scriptRow("429", [respond(429)], { waitMinMs: 30_000, expected: arrives(2, "rate_limited") }),
  scriptRow("429 with Retry-After", [respond(429, "", { "retry-after": "600" })], {
    waitMinMs: 10 * MINUTE_MS,
    expected: arrives(2, "rate_limited"),
  }),
  {
    behaviour: "429 with Retry-After as a date",
    arrange: ({ phone, services: { clock } }) => {
      const date = new Date(clock.now() + 20 * MINUTE_MS).toUTCString();
      phone.script(respond(429, "", { "retry-after": date }));
    },
    waitMinMs: 20 * MINUTE_MS,
    expected: arrives(2, "rate_limited"),
  },
  scriptRow("406 of Windows", [respond(406)], { expected: arrives(2, "rate_limited") }),
  scriptRow("500", [respond(500)], { expected: arrives(2, "transient") }),
  scriptRow("503 with Retry-After", [respond(503, "", { "retry-after": "300" })], {
    waitMinMs: 5 * MINUTE_MS,
    expected: arrives(2, "transient"),
  }),
  scriptRow("HTML 502 of a proxy", [respond(502, "<html><h1>Bad Gateway</h1></html>")], {
    expected: arrives(2, "transient"),
  }),
  scriptRow("500 always", repeat(12, respond(500)), {
    expected: fails("failed gave_up", 12, ...repeat(11, "transient")),
  }),
  scriptRow("429 until the expiry", [respond(429)], {
    ttlSeconds: 30,
    expected: fails("expired expired", 1),
  }),
];

const CONNECTIONS: readonly WebPushRow[] = [
  scriptRow("a cut connection", [{ kind: "reset-connection", when: "before-headers" }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptRow(
    "a cut connection after the delivery",
    [{ kind: "reset-connection", when: "before-headers", delivers: true }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptRow(
    "a connection cut within the response, after the delivery",
    [{ kind: "reset-connection", when: "after-headers", delivers: true }],
    { expected: arrives(1) },
  ),
  scriptRow("no response", [{ kind: "hang" }], { expected: arrives(2, "ambiguous") }),
  {
    behaviour: "unreachable until the expiry",
    createPhone: ({ otherPush }, key) => new SimulatedDevice(otherPush, key),
    arrange: ({ services }) => services.otherPush.close(),
    ttlSeconds: 12,
    expected: fails("expired expired", 0, "unreachable", "unreachable"),
  },
];

const OWNER_ACTIONS: readonly WebPushRow[] = [
  {
    behaviour: "paused before the send",
    arrange: ({ fixture, device }) => fixture.pause(device),
    expected: fails("skipped paused", 0),
  },
  scriptRow("removed before a retry", [respond(503)], {
    afterFirstAttempt: ({ fixture, device }) => fixture.remove(device),
    expected: { ...fails("cancelled cancelled", 1, "transient"), isRegistered: false },
  }),
];

/** Faults in deliveries to a browser. */
export const WEB_PUSH_ROWS: readonly WebPushRow[] = [
  ...DEVICES,
  ...RESPONSES,
  ...CONNECTIONS,
  ...OWNER_ACTIONS,
];
