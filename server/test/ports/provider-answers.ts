import assert from "node:assert/strict";
import fc from "fast-check";
import type { Outcome } from "#providers/provider.ts";
import { requireOutcome, saidBy } from "./outcome-rules.ts";
import { messageFor, never } from "./provider-under-test.ts";
import type { Law, Phone, Plan, ProviderUnderTest } from "./provider-under-test.ts";
import { startRawPeer } from "./raw-peer.ts";

const RUNS = 80;
const HOUR_MS = 60 * 60 * 1000;
const CHUNK_BYTES = 65_536;
const CHUNKS_MAX = 256;

/** Bodies that no service ever meant to send. */
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

/** Sends to the phone what a test changes nothing about. */
async function send({ provider, clock }: ProviderUnderTest, { address }: Phone): Promise<Outcome> {
  return provider.send(messageFor(clock), address, never);
}

function contextOf({ clock, secrets }: ProviderUnderTest, phone: Phone) {
  return { askedAt: clock.now(), secrets: [...secrets, ...phone.secrets] };
}

/** Sends once more, with this answer planned. */
async function answeredWith(under: ProviderUnderTest, phone: Phone, plan: Plan): Promise<Outcome> {
  phone.plan(plan);
  const outcome = await send(under, phone);
  requireOutcome(outcome, contextOf(under, phone));
  return outcome;
}

const HOSTILE: readonly Law[] = [
  {
    name: "whatever the service answers is an outcome, and the next message arrives",
    async check(test, start) {
      const under = await start(test);
      const answers = fc.asyncProperty(status, headers, body, async (status, headers, body) => {
        const phone = under.addPhone();
        const plan: Plan = { kind: "answer", status, headers, body };
        // Where the answer blames a token or connection, it is asked again for good.
        phone.plan(plan, plan, plan);
        requireOutcome(await send(under, phone), contextOf(under, phone));
        const next = under.addPhone();
        assert.equal(saidBy(await send(under, next)), "accepted");
      });
      await fc.assert(answers, { numRuns: RUNS });
    },
  },
  {
    name: "a body without an end is not read to it",
    async check(test, start) {
      const sent = { chunks: 0 };
      const peer = await startRawPeer(test, (response) => {
        response.writeHead(503, { "content-type": "application/json" });
        const more = (error?: Error | null): void => {
          if (error || sent.chunks > CHUNKS_MAX) return;
          sent.chunks += 1;
          response.write(Buffer.alloc(CHUNK_BYTES, "["), more);
        };
        more();
      });
      const under = await start(test, { peer });
      const outcome = await send(under, under.addPhone());
      assert.equal(saidBy(outcome), "retry transient");
      // As much as the windows of a connection and a socket's buffer hold is written in any case.
      assert.ok(sent.chunks < CHUNKS_MAX, `${sent.chunks} chunks`);
    },
  },
  {
    name: "an answer that repeats all it was told gets nothing of it into a reason",
    async check(test, start) {
      const statuses = [302, 400, 401, 403, 404, 405, 410, 413, 429, 500];
      const next = { status: 0 };
      const peer = await startRawPeer(test, (response, { path, authorization, body }) => {
        const all = `${path} ${authorization} ${body}`;
        response.writeHead(next.status, {
          "x-echo": path,
          location: `https://echo.example${path}`,
        });
        response.end(echo(all));
      });
      const under = await start(test, { peer });
      for (const status of statuses) {
        next.status = status;
        const phone = under.addPhone();
        requireOutcome(await send(under, phone), contextOf(under, phone));
      }
    },
  },
];

/** Says a text in every place in which one of the services has a word of its own. */
function echo(text: string): string {
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

const MEANINGS: readonly Law[] = [
  {
    name: "an address is gone where the service says so, as of the moment it was asked",
    async check(test, start) {
      const under = await start(test);
      const ended = under.addPhone();
      ended.end();
      const gone = await send(under, ended);
      assert.equal(saidBy(gone), "gone device_gone");
      requireOutcome(gone, contextOf(under, ended));
      const slow = under.addPhone();
      const after = slow.received(1).then(() => under.clock.advance(60_000));
      const askedAt = under.clock.now();
      slow.plan({ kind: "gone", after });
      const late = await send(under, slow);
      assert.equal(saidBy(late), "gone device_gone");
      requireOutcome(late, { askedAt, secrets: slow.secrets });
    },
  },
  {
    name: "no answer without the service's own word for it ends an address",
    async check(test, start) {
      const under = await start(test);
      const bodies = ["", "<html>gone</html>", "{}", '{"reason":"Gone"}', '{"error":{}}'];
      for (const status of [204, 301, 400, 401, 403, 404, 405, 410, 413, 418, 429, 500, 503]) {
        for (const body of bodies) {
          const phone = under.addPhone();
          const plan: Plan = { kind: "answer", status, body: status === 204 ? "" : body };
          phone.plan(plan, plan, plan);
          const outcome = await send(under, phone);
          const isGone = outcome.kind === "gone";
          assert.equal(isGone, under.isGoneByStatus(status), `${status} ${body}`);
        }
      }
    },
  },
  {
    name: "refused credentials blame no device",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const outcome = await answeredWith(under, phone, { kind: "refuse credentials" });
      assert.equal(saidBy(outcome), "refused provider_misconfigured");
      assert.equal(saidBy(await send(under, phone)), "accepted");
    },
  },
  {
    name: "the wait that a service asks for is kept, up to an hour",
    async check(test, start) {
      const under = await start(test);
      const at = (ms: number): string => new Date(under.clock.now() + ms).toUTCString();
      const waits: readonly (readonly [string, number])[] = [
        ["120", 120_000],
        [at(90_000), 90_000],
        ["99999999999", HOUR_MS],
        [at(999 * HOUR_MS), HOUR_MS],
        [at(-HOUR_MS), 0],
      ];
      for (const status of [429, 503]) {
        for (const [value, afterMs] of waits) {
          const plan: Plan = { kind: "answer", status, headers: { "retry-after": value } };
          const outcome = await answeredWith(under, under.addPhone(), plan);
          assert.equal(outcome.kind === "retry" && outcome.afterMs, afterMs, `${status} ${value}`);
        }
      }
    },
  },
  {
    name: "429 asks for patience, with or without a wait that can be read",
    async check(test, start) {
      const under = await start(test);
      for (const value of ["", "-1", "soon", "1e3", "0x10", "12 34"]) {
        const plan: Plan = { kind: "answer", status: 429, headers: { "retry-after": value } };
        const outcome = await answeredWith(under, under.addPhone(), plan);
        assert.equal(saidBy(outcome), "retry rate_limited", value);
        assert.equal(outcome.kind === "retry" && outcome.counted, true);
      }
    },
  },
  {
    name: "a service that fails is tried again, and the attempt counts",
    async check(test, start) {
      const under = await start(test);
      for (const status of [500, 502, 503, 504, 520, 599]) {
        const outcome = await answeredWith(under, under.addPhone(), { kind: "answer", status });
        assert.equal(saidBy(outcome), "retry transient", String(status));
        assert.equal(outcome.kind === "retry" && outcome.counted, true);
      }
    },
  },
];

/** Rules for the answers of services. */
export const ANSWER_LAWS: readonly Law[] = [...HOSTILE, ...MEANINGS];
