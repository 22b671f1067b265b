import type { ScriptedAnswer } from "../doubles/fcm/fcm-script.ts";
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
import { arrives, fails, retires, times } from "./fault-row.ts";
import type { FcmRow } from "./fault-row.ts";

const MINUTE_MS = 60_000;
const RST_REFUSED = 7;
/** Only an answer of Google's can be told from one of a proxy. */
const EMPTY = { headers: {}, body: "" };

function said(error: GoogleError): ScriptedAnswer {
  return { kind: "answer", ...error };
}

/** Returns the row of a phone whose next requests are answered so. */
function answered(
  behaviour: string,
  script: readonly ScriptedAnswer[],
  rest: Omit<FcmRow, "behaviour">,
): FcmRow {
  return { behaviour, arrange: ({ phone }) => phone.script(...script), ...rest };
}

/** Returns the row of a message for which the token endpoint answers so first: by then the last token has ended. */
function minted(
  behaviour: string,
  script: ScriptedAnswer,
  rest: Omit<FcmRow, "behaviour">,
): FcmRow {
  const arrange: FcmRow["arrange"] = ({ world }) => world.fcm.tokenEndpoint.script(script);
  // Nobody has a token until it says yes.
  return { behaviour, arrange, isDown: true, ...rest };
}

const DEVICES: readonly FcmRow[] = [
  { behaviour: "200", comesTo: arrives(1) },
  {
    behaviour: "404 UNREGISTERED",
    arrange: ({ phone }) => phone.uninstall(),
    comesTo: retires("device_gone", 1),
  },
  answered("400 for a malformed token", [said(malformedToken())], {
    comesTo: retires("device_invalid", 1),
  }),
  answered("400 for a malformed token by its field", [said(malformedTokenByField())], {
    comesTo: retires("device_invalid", 1),
  }),
  {
    behaviour: "SENDER_ID_MISMATCH while others are accepted",
    make: ({ fcm }) => new SimulatedAndroid(fcm, { projectId: "another-project" }),
    arrange: ({ sendToOthers }) => sendToOthers(6),
    comesTo: retires("device_invalid", 1),
  },
  {
    behaviour: "SENDER_ID_MISMATCH while few others are accepted",
    arrange: async ({ phone, sendToOthers }) => {
      await sendToOthers(2);
      phone.script(said(senderIdMismatch()));
    },
    leastWaitMs: 60 * MINUTE_MS,
    comesTo: arrives(2, "provider_misconfigured"),
  },
  answered("SENDER_ID_MISMATCH alone", [said(senderIdMismatch())], {
    comesTo: arrives(2, "provider_misconfigured held"),
  }),
];

const REFUSED_CREDENTIALS: readonly (readonly [string, GoogleError])[] = [
  ["401 THIRD_PARTY_AUTH_ERROR", thirdPartyAuthError()],
  ["403 PERMISSION_DENIED", permissionDenied("tocsin-double")],
  ["403 for a disabled API", apiDisabled("tocsin-double")],
  ["404 for an unknown project", unknownProject()],
];

const ANSWERS: readonly FcmRow[] = [
  ...REFUSED_CREDENTIALS.map(([behaviour, error]) =>
    answered(behaviour, [said(error)], {
      leastWaitMs: 5 * MINUTE_MS,
      comesTo: arrives(2, "provider_misconfigured held"),
    }),
  ),
  answered(
    "400 for JSON that does not fit",
    [said(invalidJson([{ field: "message.android.ttl", description: "Illegal duration" }]))],
    { comesTo: fails("rejected rejected", 1) },
  ),
  answered(
    "400 for a message that makes no sense",
    [said(invalidMessage({ field: "message.android.ttl", description: "TTL is too long" }))],
    { comesTo: fails("rejected rejected", 1) },
  ),
  answered("400 for a message that is too big", [said(messageTooBig())], {
    comesTo: fails("rejected payload_too_large", 1),
  }),
  answered("401 for an expired token, once", [said(unauthenticated("ACCESS_TOKEN_EXPIRED"))], {
    comesTo: arrives(2),
  }),
  answered(
    "401 for an expired token, twice",
    times(2, said(unauthenticated("ACCESS_TOKEN_EXPIRED"))),
    { comesTo: arrives(3, "provider_misconfigured held") },
  ),
  answered("429 for the device", [said(quotaExceeded("device"))], {
    leastWaitMs: MINUTE_MS,
    comesTo: arrives(2, "rate_limited"),
  }),
  answered("429 for the device with Retry-After", [said(quotaExceeded("device", "300"))], {
    leastWaitMs: 5 * MINUTE_MS,
    comesTo: arrives(2, "rate_limited"),
  }),
  answered("429 for the project with Retry-After", [said(quotaExceeded("project", "300"))], {
    leastWaitMs: 5 * MINUTE_MS,
    comesTo: arrives(2, "rate_limited held"),
  }),
  answered("429 of Google's front", [said(rateLimitExceeded())], {
    leastWaitMs: MINUTE_MS,
    comesTo: arrives(2, "rate_limited held"),
  }),
  answered("500 INTERNAL", [said(internal())], {
    leastWaitMs: 10_000,
    comesTo: arrives(2, "transient"),
  }),
  answered("503 UNAVAILABLE", [said(unavailable())], {
    leastWaitMs: 10_000,
    comesTo: arrives(2, "transient"),
  }),
  answered("503 with Retry-After", [said(unavailable("120"))], {
    leastWaitMs: 2 * MINUTE_MS,
    comesTo: arrives(2, "transient"),
  }),
  answered("HTML 502 of a proxy", [said(htmlPage(502))], { comesTo: arrives(2, "transient") }),
  answered("HTML 404 of a proxy", [said(htmlPage(404))], { comesTo: arrives(2, "transient") }),
  answered("HTML 200 of a proxy", [said(htmlPage(200))], { comesTo: arrives(2, "transient") }),
  answered("408", [said({ status: 408, ...EMPTY })], { comesTo: arrives(2, "transient") }),
  answered("500 always", times(8, said(internal())), {
    comesTo: fails("failed gave_up", 8, ...times(7, "transient")),
  }),
  answered("500 until it is too late", [said(internal())], {
    ttlSeconds: 8,
    comesTo: fails("expired expired", 1),
  }),
  answered("200 with half a JSON", [said({ status: 200, headers: {}, body: '{"name":' })], {
    comesTo: { ...arrives(1), shown: 0 },
  }),
];

const TOKENS: readonly FcmRow[] = [
  minted("500 of the token endpoint", said({ status: 500, ...EMPTY }), {
    comesTo: { ...arrives(1, "transient"), attempts: 1 },
  }),
  minted("HTML 200 of the token endpoint", said(htmlPage(200)), {
    comesTo: { ...arrives(1, "transient"), attempts: 1 },
  }),
  minted(
    "a token endpoint that cuts the connection",
    { kind: "cut", when: "before-headers" },
    {
      comesTo: arrives(1, "unreachable"),
    },
  ),
  minted(
    "invalid_grant",
    {
      kind: "answer",
      ...tokenError({ status: 400, error: "invalid_grant", description: "Invalid JWT Signature." }),
    },
    { leastWaitMs: 5 * MINUTE_MS, comesTo: arrives(1, "provider_misconfigured held") },
  ),
  {
    behaviour: "a token that was revoked before its time",
    arrange: async ({ sendToOthers, world }) => {
      await sendToOthers(1);
      world.fcm.tokenEndpoint.revokeAll();
    },
    comesTo: arrives(2),
  },
];

const CONNECTIONS: readonly FcmRow[] = [
  answered("RST_STREAM before the answer", [{ kind: "reset", when: "before-headers" }], {
    comesTo: arrives(2, "ambiguous"),
  }),
  answered(
    "RST_STREAM within the answer, after it was delivered",
    [{ kind: "reset", when: "after-headers", delivers: true }],
    { comesTo: arrives(1) },
  ),
  answered(
    "RST_STREAM after it was delivered",
    [{ kind: "reset", when: "before-headers", delivers: true }],
    { comesTo: arrives(2, "ambiguous") },
  ),
  answered("a cut connection", [{ kind: "cut", when: "before-headers" }], {
    comesTo: arrives(2, "ambiguous"),
  }),
  answered(
    "a cut connection after it was delivered",
    [{ kind: "cut", when: "before-headers", delivers: true }],
    { comesTo: arrives(2, "ambiguous") },
  ),
  answered(
    "a stream refused four times",
    times(4, { kind: "reset", when: "before-headers", code: RST_REFUSED }),
    { comesTo: arrives(5, "transient") },
  ),
  answered("GOAWAY before the request", [{ kind: "go-away", isProcessed: false }], {
    comesTo: arrives(2),
  }),
  answered("GOAWAY after the request", [{ kind: "go-away", isProcessed: true }], {
    comesTo: arrives(1),
  }),
  answered("no answer", [{ kind: "hang" }], { comesTo: arrives(2, "ambiguous") }),
  answered("no answer after it was delivered", [{ kind: "hang", delivers: true }], {
    comesTo: arrives(2, "ambiguous"),
  }),
  {
    behaviour: "unreachable, then back",
    arrange: async ({ sendToOthers, world }) => {
      // With a token at hand it is the message that finds the door shut.
      await sendToOthers(1);
      world.fcm.front.refuseConnections();
      world.fcm.front.goAway();
    },
    meanwhile: ({ world }) => world.fcm.front.acceptConnections(),
    isDown: true,
    comesTo: arrives(1, "unreachable"),
  },
];

const OWNERS: readonly FcmRow[] = [
  {
    behaviour: "paused before",
    arrange: ({ stage, device }) => stage.pause(device),
    comesTo: fails("skipped paused", 0),
  },
  answered("removed while it waits", [said(unavailable())], {
    meanwhile: ({ stage, device }) => stage.remove(device),
    comesTo: { ...fails("cancelled cancelled", 1, "transient"), isKept: false },
  }),
];

/** Faults on the way to an Android phone. */
export const FCM_ROWS: readonly FcmRow[] = [
  ...DEVICES,
  ...ANSWERS,
  ...TOKENS,
  ...CONNECTIONS,
  ...OWNERS,
];
