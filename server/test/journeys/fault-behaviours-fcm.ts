import type { FcmScript } from "../doubles/fcm/fcm-script.ts";
import {
  apiDisabled,
  htmlPage,
  internal,
  invalidJson,
  invalidMessage,
  malformedToken,
  malformedTokenByField,
  messageTooBig,
  permissionDenied,
  quotaExceeded,
  rateLimitExceeded,
  senderIdMismatch,
  thirdPartyAuthError,
  unauthenticated,
  unavailable,
  unknownProject,
} from "../doubles/fcm/google-errors.ts";
import type { GoogleError } from "../doubles/fcm/google-errors.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { tokenError } from "../doubles/fcm/token-endpoint.ts";
import { arrives, fails, retires, repeat } from "./fault-row.ts";
import type { FcmRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;
const RST_REFUSED = 7;
/** Has none of the marks that distinguish Google's responses from a proxy's. */
const EMPTY_RESPONSE = { headers: {}, body: "" };

function respond(error: GoogleError): FcmScript {
  return { kind: "answer", ...error };
}

/** Returns the row of a phone whose next requests get the scripted responses. */
function scriptedRow(
  behaviour: string,
  script: readonly FcmScript[],
  rest: Omit<FcmRow, "behaviour">,
): FcmRow {
  return { behaviour, arrange: ({ phone }) => phone.script(...script), ...rest };
}

/** Returns the row of a message for which the token endpoint first gives the scripted response: the last token has expired. */
function tokenRow(behaviour: string, script: FcmScript, rest: Omit<FcmRow, "behaviour">): FcmRow {
  const arrange: FcmRow["arrange"] = ({ world }) => world.fcm.tokenEndpoint.script(script);
  // No device can be reached until the endpoint issues a token.
  return { behaviour, arrange, isDown: true, ...rest };
}

const DEVICES: readonly FcmRow[] = [
  { behaviour: "200", expected: arrives(1) },
  {
    behaviour: "404 UNREGISTERED",
    arrange: ({ phone }) => phone.uninstall(),
    expected: retires("device_gone", 1),
  },
  scriptedRow("400 for a malformed token", [respond(malformedToken())], {
    expected: retires("device_invalid", 1),
  }),
  scriptedRow("400 for a malformed token by its field", [respond(malformedTokenByField())], {
    expected: retires("device_invalid", 1),
  }),
  {
    behaviour: "SENDER_ID_MISMATCH while others are accepted",
    createPhone: ({ fcm }) => new SimulatedAndroid(fcm, { projectId: "another-project" }),
    arrange: ({ sendToOthers }) => sendToOthers(6),
    expected: retires("device_invalid", 1),
  },
  {
    behaviour: "SENDER_ID_MISMATCH while few others are accepted",
    arrange: async ({ phone, sendToOthers }) => {
      await sendToOthers(2);
      phone.script(respond(senderIdMismatch()));
    },
    waitMinMs: 60 * MINUTE_MS,
    expected: arrives(2, "provider_misconfigured"),
  },
  scriptedRow("SENDER_ID_MISMATCH without other sends", [respond(senderIdMismatch())], {
    expected: arrives(2, "provider_misconfigured held"),
  }),
];

const REFUSED_CREDENTIALS: readonly (readonly [string, GoogleError])[] = [
  ["401 THIRD_PARTY_AUTH_ERROR", thirdPartyAuthError()],
  ["403 PERMISSION_DENIED", permissionDenied("tocsin-double")],
  ["403 for a disabled API", apiDisabled("tocsin-double")],
  ["404 for an unknown project", unknownProject()],
];

const RESPONSES: readonly FcmRow[] = [
  ...REFUSED_CREDENTIALS.map(([behaviour, error]) =>
    scriptedRow(behaviour, [respond(error)], {
      waitMinMs: 5 * MINUTE_MS,
      expected: arrives(2, "provider_misconfigured held"),
    }),
  ),
  scriptedRow(
    "400 for JSON of the wrong shape",
    [respond(invalidJson([{ field: "message.android.ttl", description: "Illegal duration" }]))],
    { expected: fails("rejected rejected", 1) },
  ),
  scriptedRow(
    "400 for an invalid message",
    [respond(invalidMessage({ field: "message.android.ttl", description: "TTL is too long" }))],
    { expected: fails("rejected rejected", 1) },
  ),
  scriptedRow("400 for a message that is too big", [respond(messageTooBig())], {
    expected: fails("rejected payload_too_large", 1),
  }),
  scriptedRow(
    "401 for an expired token, once",
    [respond(unauthenticated("ACCESS_TOKEN_EXPIRED"))],
    {
      expected: arrives(2),
    },
  ),
  scriptedRow(
    "401 for an expired token, twice",
    repeat(2, respond(unauthenticated("ACCESS_TOKEN_EXPIRED"))),
    { expected: arrives(3, "provider_misconfigured held") },
  ),
  scriptedRow("429 for the device", [respond(quotaExceeded("device"))], {
    waitMinMs: MINUTE_MS,
    expected: arrives(2, "rate_limited"),
  }),
  scriptedRow("429 for the device with Retry-After", [respond(quotaExceeded("device", "300"))], {
    waitMinMs: 5 * MINUTE_MS,
    expected: arrives(2, "rate_limited"),
  }),
  scriptedRow("429 for the project with Retry-After", [respond(quotaExceeded("project", "300"))], {
    waitMinMs: 5 * MINUTE_MS,
    expected: arrives(2, "rate_limited held"),
  }),
  scriptedRow("429 of Google's front end", [respond(rateLimitExceeded())], {
    waitMinMs: MINUTE_MS,
    expected: arrives(2, "rate_limited held"),
  }),
  scriptedRow("500 INTERNAL", [respond(internal())], {
    waitMinMs: 10_000,
    expected: arrives(2, "transient"),
  }),
  scriptedRow("503 UNAVAILABLE", [respond(unavailable())], {
    waitMinMs: 10_000,
    expected: arrives(2, "transient"),
  }),
  scriptedRow("503 with Retry-After", [respond(unavailable("120"))], {
    waitMinMs: 2 * MINUTE_MS,
    expected: arrives(2, "transient"),
  }),
  scriptedRow("HTML 502 of a proxy", [respond(htmlPage(502))], {
    expected: arrives(2, "transient"),
  }),
  scriptedRow("HTML 404 of a proxy", [respond(htmlPage(404))], {
    expected: arrives(2, "transient"),
  }),
  scriptedRow("HTML 200 of a proxy", [respond(htmlPage(200))], {
    expected: arrives(2, "transient"),
  }),
  scriptedRow("408", [respond({ status: 408, ...EMPTY_RESPONSE })], {
    expected: arrives(2, "transient"),
  }),
  scriptedRow("500 always", repeat(8, respond(internal())), {
    expected: fails("failed gave_up", 8, ...repeat(7, "transient")),
  }),
  scriptedRow("500 until the expiry", [respond(internal())], {
    ttlSeconds: 8,
    expected: fails("expired expired", 1),
  }),
  scriptedRow(
    "200 with truncated JSON",
    [respond({ status: 200, headers: {}, body: '{"name":' })],
    {
      expected: { ...arrives(1), shown: 0 },
    },
  ),
];

const TOKENS: readonly FcmRow[] = [
  tokenRow("500 of the token endpoint", respond({ status: 500, ...EMPTY_RESPONSE }), {
    expected: { ...arrives(1, "transient"), attempts: 1 },
  }),
  tokenRow("HTML 200 of the token endpoint", respond(htmlPage(200)), {
    expected: { ...arrives(1, "transient"), attempts: 1 },
  }),
  tokenRow(
    "a token endpoint that cuts the connection",
    { kind: "cut", when: "before-headers" },
    {
      expected: arrives(1, "unreachable"),
    },
  ),
  tokenRow(
    "invalid_grant",
    {
      kind: "answer",
      ...tokenError({ status: 400, error: "invalid_grant", description: "Invalid JWT Signature." }),
    },
    { waitMinMs: 5 * MINUTE_MS, expected: arrives(1, "provider_misconfigured held") },
  ),
  {
    behaviour: "a token that was revoked before it expired",
    arrange: async ({ sendToOthers, world }) => {
      await sendToOthers(1);
      world.fcm.tokenEndpoint.revokeAll();
    },
    expected: arrives(2),
  },
];

const CONNECTIONS: readonly FcmRow[] = [
  scriptedRow("RST_STREAM before the response", [{ kind: "reset", when: "before-headers" }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptedRow(
    "RST_STREAM within the response, after the delivery",
    [{ kind: "reset", when: "after-headers", delivers: true }],
    { expected: arrives(1) },
  ),
  scriptedRow(
    "RST_STREAM after the delivery",
    [{ kind: "reset", when: "before-headers", delivers: true }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptedRow("a cut connection", [{ kind: "cut", when: "before-headers" }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptedRow(
    "a cut connection after the delivery",
    [{ kind: "cut", when: "before-headers", delivers: true }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptedRow(
    "a stream refused four times",
    repeat(4, { kind: "reset", when: "before-headers", code: RST_REFUSED }),
    { expected: arrives(5, "transient") },
  ),
  scriptedRow("GOAWAY before the request", [{ kind: "go-away", isProcessed: false }], {
    expected: arrives(2),
  }),
  scriptedRow("GOAWAY after the request", [{ kind: "go-away", isProcessed: true }], {
    expected: arrives(1),
  }),
  scriptedRow("no response", [{ kind: "hang" }], { expected: arrives(2, "ambiguous") }),
  scriptedRow("no response after the delivery", [{ kind: "hang", delivers: true }], {
    expected: arrives(2, "ambiguous"),
  }),
  {
    behaviour: "unreachable, then back",
    arrange: async ({ sendToOthers, world }) => {
      // Fetches a token first, so that the message is the request that fails to connect.
      await sendToOthers(1);
      world.fcm.front.refuseConnections();
      world.fcm.front.goAway();
    },
    afterFirstAttempt: ({ world }) => world.fcm.front.acceptConnections(),
    isDown: true,
    expected: arrives(1, "unreachable"),
  },
];

const OWNER_ACTIONS: readonly FcmRow[] = [
  {
    behaviour: "paused before the send",
    arrange: ({ stage, device }) => stage.pause(device),
    expected: fails("skipped paused", 0),
  },
  scriptedRow("removed before a retry", [respond(unavailable())], {
    afterFirstAttempt: ({ stage, device }) => stage.remove(device),
    expected: { ...fails("cancelled cancelled", 1, "transient"), isKept: false },
  }),
];

/** Faults in deliveries to an Android phone. */
export const FCM_ROWS: readonly FcmRow[] = [
  ...DEVICES,
  ...RESPONSES,
  ...TOKENS,
  ...CONNECTIONS,
  ...OWNER_ACTIONS,
];
