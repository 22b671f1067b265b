import { NGHTTP2_REFUSED_STREAM } from "../doubles/fcm/exchange.ts";
import type { FcmScript } from "../doubles/fcm/fcm-script.ts";
import {
  createApiDisabledError,
  createHtmlPage,
  createInternalError,
  createInvalidJsonError,
  createInvalidMessageError,
  createMalformedTokenError,
  createMalformedTokenFieldError,
  createMessageTooBigError,
  createPermissionDeniedError,
  createQuotaExceededError,
  createRateLimitExceededError,
  createSenderIdMismatchError,
  createThirdPartyAuthError,
  createUnauthenticatedError,
  createUnavailableError,
  createUnknownProjectError,
  type GoogleError,
} from "../doubles/fcm/google-errors.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { createTokenError } from "../doubles/fcm/token-endpoint.ts";
import { arrives, fails, retires, repeat, type FcmRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;
/** A response without the marks that distinguish Google's from a proxy's. */
const EMPTY_RESPONSE = { headers: {}, body: "" };

function respond(error: GoogleError): FcmScript {
  return { kind: "answer", ...error };
}

/** Returns the row of a phone whose next requests get the scripted responses. */
function scriptRow(
  behaviour: string,
  script: readonly FcmScript[],
  fields: Omit<FcmRow, "behaviour">,
): FcmRow {
  return { behaviour, arrange: ({ phone }) => phone.script(...script), ...fields };
}

/** Returns the row of a message whose token has expired, so that the token endpoint gives the scripted response. */
function scriptTokenRow(
  behaviour: string,
  script: FcmScript,
  fields: Omit<FcmRow, "behaviour">,
): FcmRow {
  const arrange: FcmRow["arrange"] = ({ services }) => services.fcm.tokenEndpoint.script(script);
  // No device can be reached until the endpoint issues a token.
  return { behaviour, arrange, affectsEveryDevice: true, ...fields };
}

const DEVICES: readonly FcmRow[] = [
  { behaviour: "200", expected: arrives(1) },
  {
    behaviour: "404 UNREGISTERED",
    arrange: ({ phone }) => phone.uninstall(),
    expected: retires("device_gone", 1),
  },
  scriptRow("400 for a malformed token", [respond(createMalformedTokenError())], {
    expected: retires("device_invalid", 1),
  }),
  scriptRow("400 for a malformed token by its field", [respond(createMalformedTokenFieldError())], {
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
      phone.script(respond(createSenderIdMismatchError()));
    },
    waitMinMs: 60 * MINUTE_MS,
    expected: arrives(2, "provider_misconfigured"),
  },
  scriptRow("SENDER_ID_MISMATCH without other sends", [respond(createSenderIdMismatchError())], {
    expected: arrives(2, "provider_misconfigured held"),
  }),
];

const REFUSED_CREDENTIALS: readonly (readonly [string, GoogleError])[] = [
  ["401 THIRD_PARTY_AUTH_ERROR", createThirdPartyAuthError()],
  ["403 PERMISSION_DENIED", createPermissionDeniedError("tocsin-double")],
  ["403 for a disabled API", createApiDisabledError("tocsin-double")],
  ["404 for an unknown project", createUnknownProjectError()],
];

const RESPONSES: readonly FcmRow[] = [
  ...REFUSED_CREDENTIALS.map(([behaviour, error]) =>
    scriptRow(behaviour, [respond(error)], {
      waitMinMs: 5 * MINUTE_MS,
      expected: arrives(2, "provider_misconfigured held"),
    }),
  ),
  scriptRow(
    "400 for JSON of the wrong shape",
    [
      respond(
        createInvalidJsonError([{ field: "message.android.ttl", description: "Illegal duration" }]),
      ),
    ],
    { expected: fails("rejected rejected", 1) },
  ),
  scriptRow(
    "400 for an invalid message",
    [
      respond(
        createInvalidMessageError({ field: "message.android.ttl", description: "TTL is too long" }),
      ),
    ],
    { expected: fails("rejected rejected", 1) },
  ),
  scriptRow("400 for a message that is too big", [respond(createMessageTooBigError())], {
    expected: fails("rejected payload_too_large", 1),
  }),
  scriptRow(
    "401 for an expired token, once",
    [respond(createUnauthenticatedError("ACCESS_TOKEN_EXPIRED"))],
    {
      expected: arrives(2),
    },
  ),
  scriptRow(
    "401 for an expired token, twice",
    repeat(2, respond(createUnauthenticatedError("ACCESS_TOKEN_EXPIRED"))),
    { expected: arrives(3, "provider_misconfigured held") },
  ),
  scriptRow("429 for the device", [respond(createQuotaExceededError("device"))], {
    waitMinMs: MINUTE_MS,
    expected: arrives(2, "rate_limited"),
  }),
  scriptRow(
    "429 for the device with Retry-After",
    [respond(createQuotaExceededError("device", "300"))],
    {
      waitMinMs: 5 * MINUTE_MS,
      expected: arrives(2, "rate_limited"),
    },
  ),
  scriptRow(
    "429 for the project with Retry-After",
    [respond(createQuotaExceededError("project", "300"))],
    {
      waitMinMs: 5 * MINUTE_MS,
      expected: arrives(2, "rate_limited held"),
    },
  ),
  scriptRow("429 of Google's front end", [respond(createRateLimitExceededError())], {
    waitMinMs: MINUTE_MS,
    expected: arrives(2, "rate_limited held"),
  }),
  scriptRow("500 INTERNAL", [respond(createInternalError())], {
    waitMinMs: 10_000,
    expected: arrives(2, "transient"),
  }),
  scriptRow("503 UNAVAILABLE", [respond(createUnavailableError())], {
    waitMinMs: 10_000,
    expected: arrives(2, "transient"),
  }),
  scriptRow("503 with Retry-After", [respond(createUnavailableError("120"))], {
    waitMinMs: 2 * MINUTE_MS,
    expected: arrives(2, "transient"),
  }),
  scriptRow("HTML 502 of a proxy", [respond(createHtmlPage(502))], {
    expected: arrives(2, "transient"),
  }),
  scriptRow("HTML 404 of a proxy", [respond(createHtmlPage(404))], {
    expected: arrives(2, "transient"),
  }),
  scriptRow("HTML 200 of a proxy", [respond(createHtmlPage(200))], {
    expected: arrives(2, "transient"),
  }),
  scriptRow("408", [respond({ status: 408, ...EMPTY_RESPONSE })], {
    expected: arrives(2, "transient"),
  }),
  scriptRow("500 always", repeat(8, respond(createInternalError())), {
    expected: fails("failed gave_up", 8, ...repeat(7, "transient")),
  }),
  scriptRow("500 until the expiry", [respond(createInternalError())], {
    ttlSeconds: 8,
    expected: fails("expired expired", 1),
  }),
  scriptRow("200 with truncated JSON", [respond({ status: 200, headers: {}, body: '{"name":' })], {
    expected: { ...arrives(1), shownCount: 0 },
  }),
];

const TOKENS: readonly FcmRow[] = [
  scriptTokenRow("500 of the token endpoint", respond({ status: 500, ...EMPTY_RESPONSE }), {
    expected: { ...arrives(1, "transient"), attemptCount: 1 },
  }),
  scriptTokenRow("HTML 200 of the token endpoint", respond(createHtmlPage(200)), {
    expected: { ...arrives(1, "transient"), attemptCount: 1 },
  }),
  scriptTokenRow(
    "a token endpoint that cuts the connection",
    { kind: "reset-connection", when: "before-headers" },
    {
      expected: arrives(1, "unreachable"),
    },
  ),
  scriptTokenRow(
    "invalid_grant",
    {
      kind: "answer",
      ...createTokenError({
        status: 400,
        error: "invalid_grant",
        description: "Invalid JWT Signature.",
      }),
    },
    { waitMinMs: 5 * MINUTE_MS, expected: arrives(1, "provider_misconfigured held") },
  ),
  {
    behaviour: "a token that was revoked before it expired",
    arrange: async ({ sendToOthers, services }) => {
      await sendToOthers(1);
      services.fcm.tokenEndpoint.revokeAll();
    },
    expected: arrives(2),
  },
];

const CONNECTIONS: readonly FcmRow[] = [
  scriptRow("RST_STREAM before the response", [{ kind: "reset-stream", when: "before-headers" }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptRow(
    "RST_STREAM within the response, after the delivery",
    [{ kind: "reset-stream", when: "after-headers", delivers: true }],
    { expected: arrives(1) },
  ),
  scriptRow(
    "RST_STREAM after the delivery",
    [{ kind: "reset-stream", when: "before-headers", delivers: true }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptRow("a cut connection", [{ kind: "reset-connection", when: "before-headers" }], {
    expected: arrives(2, "ambiguous"),
  }),
  scriptRow(
    "a cut connection after the delivery",
    [{ kind: "reset-connection", when: "before-headers", delivers: true }],
    { expected: arrives(2, "ambiguous") },
  ),
  scriptRow(
    "a stream refused four times",
    repeat(4, { kind: "reset-stream", when: "before-headers", code: NGHTTP2_REFUSED_STREAM }),
    { expected: arrives(5, "transient") },
  ),
  scriptRow("GOAWAY before the request", [{ kind: "goaway", isProcessed: false }], {
    expected: arrives(2),
  }),
  scriptRow("GOAWAY after the request", [{ kind: "goaway", isProcessed: true }], {
    expected: arrives(1),
  }),
  scriptRow("no response", [{ kind: "hang" }], { expected: arrives(2, "ambiguous") }),
  scriptRow("no response after the delivery", [{ kind: "hang", delivers: true }], {
    expected: arrives(2, "ambiguous"),
  }),
  {
    behaviour: "unreachable, then back",
    arrange: async ({ sendToOthers, services }) => {
      // Fetches a token first, so that the message is the request that fails to connect.
      await sendToOthers(1);
      services.fcm.frontEnd.refuseConnections();
      services.fcm.frontEnd.goaway();
    },
    afterFirstAttempt: ({ services }) => services.fcm.frontEnd.acceptConnections(),
    affectsEveryDevice: true,
    expected: arrives(1, "unreachable"),
  },
];

const OWNER_ACTIONS: readonly FcmRow[] = [
  {
    behaviour: "paused before the send",
    arrange: ({ fixture, device }) => fixture.pause(device),
    expected: fails("skipped paused", 0),
  },
  scriptRow("removed before a retry", [respond(createUnavailableError())], {
    afterFirstAttempt: ({ fixture, device }) => fixture.remove(device),
    expected: { ...fails("cancelled cancelled", 1, "transient"), isRegistered: false },
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
