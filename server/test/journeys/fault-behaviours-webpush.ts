import type { ScriptedAnswer } from "../doubles/scripted-answer.ts";
import { SimulatedDevice } from "../doubles/simulated-device.ts";
import { arrives, fails, retires, times } from "./fault-row.ts";
import type { WebPushRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;

function said(
  status: number,
  body: string | object = "",
  headers: Readonly<Record<string, string>> = {},
): ScriptedAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", status, headers, body: text };
}

/** Returns the row of a browser whose next requests are answered so. */
function answered(
  behaviour: string,
  script: readonly ScriptedAnswer[],
  rest: Omit<WebPushRow, "behaviour">,
): WebPushRow {
  return { behaviour, arrange: ({ phone }) => phone.script(...script), ...rest };
}

/** FCM's answer for a browser whose subscription was made with another VAPID key. */
const FOREIGN_KEY =
  "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.";
const BAD_JWT = said(403, { reason: "BadJwtToken" });

const DEVICES: readonly WebPushRow[] = [
  { behaviour: "201", comesTo: arrives(1) },
  {
    behaviour: "410 after the subscription ended",
    arrange: ({ phone }) => phone.unsubscribe(),
    comesTo: retires("device_gone", 1),
  },
  answered("404 with Mozilla's errno 102", [said(404, { code: 404, errno: 102 })], {
    comesTo: retires("device_gone", 1),
  }),
  answered("400 with Mozilla's errno 103", [said(400, { code: 400, errno: 103 })], {
    comesTo: retires("device_gone", 1),
  }),
  answered("a bare 404, once", [said(404)], {
    leastWaitMs: 60 * MINUTE_MS,
    comesTo: arrives(2, "suspect"),
  }),
  answered("a bare 404, twice", times(2, said(404)), {
    comesTo: retires("device_gone", 2, "suspect"),
  }),
  answered("400 VapidPkHashMismatch", [said(400, { reason: "VapidPkHashMismatch" })], {
    comesTo: retires("subscription_key_changed", 1),
  }),
  answered("403 for a foreign key", [said(403, FOREIGN_KEY)], {
    comesTo: retires("subscription_key_changed", 1),
  }),
  answered("400 UnauthorizedRegistration", [said(400, "UnauthorizedRegistration")], {
    comesTo: retires("subscription_key_changed", 1),
  }),
  answered("307 to this machine, once", [said(307, "", { location: "http://127.0.0.1:1/" })], {
    comesTo: arrives(2, "suspect"),
  }),
  answered("307 to elsewhere, twice", times(2, said(307, "", { location: "/elsewhere" })), {
    comesTo: retires("device_gone", 2, "suspect"),
  }),
  answered("400 that nobody understands", [said(400, "<html>No.</html>")], {
    comesTo: arrives(2, "suspect"),
  }),
  {
    behaviour: "410, but registered again while it was asked",
    arrange: ({ phone, world: { clock }, registerAgain }) => {
      const after = phone.received(1).then(() => {
        clock.advance(1);
        return registerAgain();
      });
      phone.script({ ...said(410), after });
    },
    comesTo: arrives(2, "transient"),
  },
];

const ANSWERS: readonly WebPushRow[] = [
  answered("403 BadJwtToken, once", [BAD_JWT], { comesTo: arrives(2) }),
  answered("403 BadJwtToken, twice", times(2, BAD_JWT), {
    leastWaitMs: 5 * MINUTE_MS,
    comesTo: arrives(3, "provider_misconfigured held"),
  }),
  answered("401 without a word, twice", times(2, said(401)), {
    comesTo: arrives(3, "provider_misconfigured held"),
  }),
  answered("400 BadVapidPublicKey", [said(400, { reason: "BadVapidPublicKey" })], {
    comesTo: arrives(2, "provider_misconfigured held"),
  }),
  ...["BadTtl", "BadUrgency", "BadWebPushTopic", "BadWebPushRequest"].map((reason) =>
    answered(`400 ${reason}`, [said(400, { reason })], {
      comesTo: fails("rejected rejected", 1),
    }),
  ),
  answered("413, once", [said(413)], { comesTo: arrives(2) }),
  answered("413, twice", times(2, said(413)), {
    comesTo: fails("rejected payload_too_large", 2),
  }),
  answered("429", [said(429)], { leastWaitMs: 30_000, comesTo: arrives(2, "rate_limited") }),
  answered("429 with Retry-After", [said(429, "", { "retry-after": "600" })], {
    leastWaitMs: 10 * MINUTE_MS,
    comesTo: arrives(2, "rate_limited"),
  }),
  {
    behaviour: "429 with Retry-After as a date",
    arrange: ({ phone, world: { clock } }) => {
      const date = new Date(clock.now() + 20 * MINUTE_MS).toUTCString();
      phone.script(said(429, "", { "retry-after": date }));
    },
    leastWaitMs: 20 * MINUTE_MS,
    comesTo: arrives(2, "rate_limited"),
  },
  answered("406 of Windows", [said(406)], { comesTo: arrives(2, "rate_limited") }),
  answered("500", [said(500)], { comesTo: arrives(2, "transient") }),
  answered("503 with Retry-After", [said(503, "", { "retry-after": "300" })], {
    leastWaitMs: 5 * MINUTE_MS,
    comesTo: arrives(2, "transient"),
  }),
  answered("HTML 502 of a proxy", [said(502, "<html><h1>Bad Gateway</h1></html>")], {
    comesTo: arrives(2, "transient"),
  }),
  answered("500 always", times(12, said(500)), {
    comesTo: fails("failed gave_up", 12, ...times(11, "transient")),
  }),
  answered("429 until it is too late", [said(429)], {
    ttlSeconds: 30,
    comesTo: fails("expired expired", 1),
  }),
];

const CONNECTIONS: readonly WebPushRow[] = [
  answered("a cut connection", [{ kind: "reset", when: "before-headers" }], {
    comesTo: arrives(2, "ambiguous"),
  }),
  answered(
    "a cut connection after it was delivered",
    [{ kind: "reset", when: "before-headers", delivers: true }],
    { comesTo: arrives(2, "ambiguous") },
  ),
  answered(
    "a connection that is cut within the answer, after it was delivered",
    [{ kind: "reset", when: "after-headers", delivers: true }],
    { comesTo: arrives(1) },
  ),
  answered("no answer", [{ kind: "hang" }], { comesTo: arrives(2, "ambiguous") }),
  {
    behaviour: "unreachable until it is too late",
    make: ({ otherPush }, key) => new SimulatedDevice(otherPush, key),
    arrange: ({ world }) => world.otherPush.close(),
    ttlSeconds: 12,
    comesTo: fails("expired expired", 0, "unreachable", "unreachable"),
  },
];

const OWNERS: readonly WebPushRow[] = [
  {
    behaviour: "paused before",
    arrange: ({ stage, device }) => stage.pause(device),
    comesTo: fails("skipped paused", 0),
  },
  answered("removed while it waits", [said(503)], {
    meanwhile: ({ stage, device }) => stage.remove(device),
    comesTo: { ...fails("cancelled cancelled", 1, "transient"), isKept: false },
  }),
];

/** Faults on the way to a browser. */
export const WEB_PUSH_ROWS: readonly WebPushRow[] = [
  ...DEVICES,
  ...ANSWERS,
  ...CONNECTIONS,
  ...OWNERS,
];
