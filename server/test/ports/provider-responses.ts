import assert from "node:assert/strict";
import fc from "fast-check";
import type { Outcome } from "#providers/provider.ts";
import { assertValidOutcome, formatOutcome } from "./outcome-rules.ts";
import {
  createMessage,
  OPEN_SIGNAL,
  type ContractTest,
  type Phone,
  type ProviderScript,
  type ProviderUnderTest,
} from "./provider-under-test.ts";
import { startHttpsPeer } from "./raw-peer.ts";

const PROPERTY_RUNS = 80;
const HOUR_MS = 60 * 60 * 1000;
const CHUNK_BYTES = 65_536;
const CHUNKS_MAX = 256;

/** Malformed and hostile response bodies. */
const HOSTILE_BODIES = [
  "",
  "<!DOCTYPE html><title>502</title><h1>Bad Gateway</h1>",
  "{",
  "null",
  "[]",
  '"Unregistered"',
  "1e999",
  `{"reason":${"[".repeat(1_000)}`,
  "[".repeat(4_000),
  JSON.stringify({ reason: "Unregistered".repeat(500) }),
  JSON.stringify({ reason: null, timestamp: "yesterday", errno: 1e308 }),
  JSON.stringify({ reason: ["Unregistered"], errno: [102], error: [] }),
  JSON.stringify({ error: { code: 1e308, status: {}, details: {}, message: 7 } }),
  JSON.stringify({ error: { details: [null, 7, "x", { "@type": 7, errorCode: {} }] } }),
  '{"__proto__":{"reason":"BadDeviceToken","errno":102,"error":{"status":"NOT_FOUND"}}}',
  '{"constructor":{"prototype":{"reason":"Unregistered"}},"hasOwnProperty":1}',
  '{"error":{"__proto__":{"details":[{"errorCode":"UNREGISTERED"}]},"status":"constructor"}}',
  '{"reason":"constructor","error":{"status":"toString","details":[{"errorCode":"valueOf"}]}}',
  "\u0000\uFEFF{}",
  "9".repeat(4_096),
] as const;

const status = fc.oneof(
  fc.constantFrom(200, 201, 301, 302, 307, 400, 401, 403, 404, 405, 406, 408, 410, 413, 414, 418),
  fc.constantFrom(421, 425, 429, 451, 499, 500, 501, 502, 503, 504, 520, 529, 599),
);
const headers = fc.dictionary(
  fc.constantFrom("retry-after", "location", "apns-id", "date", "content-type"),
  fc.oneof(
    fc.constantFrom("0", "-1", "1e9", "99999999999999999999", "soon", "http://127.0.0.1:1/"),
    fc.constantFrom("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "\t"),
    fc.stringMatching(/^[!-~]{0,40}$/),
  ),
);
const body = fc.oneof(fc.constantFrom(...HOSTILE_BODIES), fc.json(), fc.string());

/** Sends the default message to a phone. */
async function send({ provider, clock }: ProviderUnderTest, { address }: Phone): Promise<Outcome> {
  return provider.send(createMessage(clock), address, OPEN_SIGNAL);
}

function createOutcomeContext({ clock, secrets }: ProviderUnderTest, phone: Phone) {
  return { startedAt: clock.now(), secrets: [...secrets, ...phone.secrets] };
}

/** Scripts a response, sends a message, and asserts that its outcome is valid. */
async function sendWithResponse(
  subject: ProviderUnderTest,
  phone: Phone,
  script: ProviderScript,
): Promise<Outcome> {
  phone.script(script);
  const outcome = await send(subject, phone);
  assertValidOutcome(outcome, createOutcomeContext(subject, phone));
  return outcome;
}

const HOSTILE_RESPONSE_TESTS: readonly ContractTest[] = [
  {
    name: "any response becomes an outcome, and the next message arrives",
    async run(test, start) {
      const subject = await start(test);
      const property = fc.asyncProperty(status, headers, body, async (status, headers, body) => {
        const phone = subject.addPhone();
        const script: ProviderScript = { kind: "answer", status, headers, body };
        // A provider retries with a new token or connection after some responses.
        phone.script(script, script, script);
        assertValidOutcome(await send(subject, phone), createOutcomeContext(subject, phone));
        const nextPhone = subject.addPhone();
        assert.equal(formatOutcome(await send(subject, nextPhone)), "accepted");
      });
      await fc.assert(property, { numRuns: PROPERTY_RUNS });
    },
  },
  {
    name: "an endless body is not read completely",
    async run(test, start) {
      const written = { chunks: 0 };
      const peer = await startHttpsPeer(test, (response) => {
        response.writeHead(503, { "content-type": "application/json" });
        const writeMore = (error?: Error | null): void => {
          if (error || written.chunks > CHUNKS_MAX) return;
          written.chunks += 1;
          response.write(Buffer.alloc(CHUNK_BYTES, "["), writeMore);
        };
        writeMore();
      });
      const subject = await start(test, { peer });
      const outcome = await send(subject, subject.addPhone());
      assert.equal(formatOutcome(outcome), "retry transient");
      // The peer can always write as much as the flow-control windows and socket buffers hold.
      assert.ok(written.chunks < CHUNKS_MAX, `${written.chunks} chunks`);
    },
  },
  {
    name: "a response that echoes the request leaks nothing into a reason",
    async run(test, start) {
      const statuses = [302, 400, 401, 403, 404, 405, 410, 413, 429, 500];
      const nextResponse = { status: 0 };
      const peer = await startHttpsPeer(test, (response, { path, authorization, body }) => {
        const receivedText = `${path} ${authorization} ${body}`;
        response.writeHead(nextResponse.status, {
          "x-echo": path,
          location: `https://echo.example${path}`,
        });
        response.end(createEchoBody(receivedText));
      });
      const subject = await start(test, { peer });
      for (const status of statuses) {
        nextResponse.status = status;
        const phone = subject.addPhone();
        assertValidOutcome(await send(subject, phone), createOutcomeContext(subject, phone));
      }
    },
  },
];

/** Returns a body with a text in every field that a service uses. */
function createEchoBody(text: string): string {
  const details = [
    { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: text },
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: text },
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: text, description: text }],
    },
  ];
  return JSON.stringify({ reason: text, error: { status: text, message: text, details } });
}

const VALID_RESPONSE_TESTS: readonly ContractTest[] = [
  {
    name: "an address is gone if the service says so, as of the start of the attempt",
    async run(test, start) {
      const subject = await start(test);
      const removedPhone = subject.addPhone();
      removedPhone.unregister();
      const goneOutcome = await send(subject, removedPhone);
      assert.equal(formatOutcome(goneOutcome), "gone device_gone");
      assertValidOutcome(goneOutcome, createOutcomeContext(subject, removedPhone));
      const slowPhone = subject.addPhone();
      const clockAdvanced = slowPhone.waitForRequests(1).then(() => subject.clock.advance(60_000));
      const startedAt = subject.clock.now();
      slowPhone.script({ kind: "gone", after: clockAdvanced });
      const lateOutcome = await send(subject, slowPhone);
      assert.equal(formatOutcome(lateOutcome), "gone device_gone");
      assertValidOutcome(lateOutcome, { startedAt, secrets: slowPhone.secrets });
    },
  },
  {
    name: "an address is gone only if the service uses its own code for that",
    async run(test, start) {
      const subject = await start(test);
      const bodies = ["", "<html>gone</html>", "{}", '{"reason":"Gone"}', '{"error":{}}'];
      for (const status of [204, 301, 400, 401, 403, 404, 405, 410, 413, 418, 429, 500, 503]) {
        for (const body of bodies) {
          const phone = subject.addPhone();
          const script: ProviderScript = {
            kind: "answer",
            status,
            body: status === 204 ? "" : body,
          };
          phone.script(script, script, script);
          const outcome = await send(subject, phone);
          const isGone = outcome.kind === "gone";
          assert.equal(isGone, subject.statusMeansGone(status), `${status} ${body}`);
        }
      }
    },
  },
  {
    name: "refused credentials do not affect the device",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const outcome = await sendWithResponse(subject, phone, { kind: "refuse credentials" });
      assert.equal(formatOutcome(outcome), "refused provider_misconfigured");
      assert.equal(formatOutcome(await send(subject, phone)), "accepted");
    },
  },
  {
    name: "a delay that the service requests is respected, up to an hour",
    async run(test, start) {
      const subject = await start(test);
      const formatDate = (ms: number): string => new Date(subject.clock.now() + ms).toUTCString();
      const delays: readonly (readonly [retryAfter: string, afterMs: number])[] = [
        ["120", 120_000],
        [formatDate(90_000), 90_000],
        ["99999999999", HOUR_MS],
        [formatDate(999 * HOUR_MS), HOUR_MS],
        [formatDate(-HOUR_MS), 0],
      ];
      for (const status of [429, 503]) {
        for (const [value, afterMs] of delays) {
          const script: ProviderScript = {
            kind: "answer",
            status,
            headers: { "retry-after": value },
          };
          const outcome = await sendWithResponse(subject, subject.addPhone(), script);
          assert.equal(outcome.kind === "retry" && outcome.afterMs, afterMs, `${status} ${value}`);
        }
      }
    },
  },
  {
    name: "429 makes the outcome rate_limited, with or without a valid delay",
    async run(test, start) {
      const subject = await start(test);
      for (const value of ["", "-1", "soon", "1e3", "0x10", "12 34"]) {
        const script: ProviderScript = {
          kind: "answer",
          status: 429,
          headers: { "retry-after": value },
        };
        const outcome = await sendWithResponse(subject, subject.addPhone(), script);
        assert.equal(formatOutcome(outcome), "retry rate_limited", value);
        assert.equal(outcome.kind === "retry" && outcome.isCounted, true);
      }
    },
  },
  {
    name: "a failed service is retried, and the attempt counts",
    async run(test, start) {
      const subject = await start(test);
      for (const status of [500, 502, 503, 504, 520, 599]) {
        const outcome = await sendWithResponse(subject, subject.addPhone(), {
          kind: "answer",
          status,
        });
        assert.equal(formatOutcome(outcome), "retry transient", String(status));
        assert.equal(outcome.kind === "retry" && outcome.isCounted, true);
      }
    },
  },
];

/** Contract tests for the responses of services. */
export const RESPONSE_CONTRACT: readonly ContractTest[] = [
  ...HOSTILE_RESPONSE_TESTS,
  ...VALID_RESPONSE_TESTS,
];
