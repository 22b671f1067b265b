import assert from "node:assert/strict";
import type { Outcome } from "#providers/provider.ts";
import { assertValidOutcome, formatOutcome } from "./outcome-rules.ts";
import { createMessage, neverAborted } from "./provider-under-test.ts";
import type { ContractTest, Phone, ProviderUnderTest } from "./provider-under-test.ts";
import { startSocketPeer, createRefusingPeer, startRawPeer } from "./raw-peer.ts";

/** Long enough for a first connection on a busy machine, but short for a test. */
const REQUEST_TIMEOUT_MS = 1_500;
/** A wait that exceeds its limit by more fails the test. */
const GRACE_MAX_MS = 3_000;
const CONNECTS_IN_A_MINUTE_MAX = 7;
/** Longer than any delay before the next connection. */
const RECONNECT_DELAY_MAX_MS = 120_000;

async function send({ provider, clock }: ProviderUnderTest, { address }: Phone): Promise<Outcome> {
  return provider.send(createMessage(clock), address, neverAborted);
}

function requireRetry(outcome: Outcome, code: string, counted: boolean): void {
  assert.equal(formatOutcome(outcome), `retry ${code}`);
  assert.equal(outcome.kind === "retry" && outcome.counted, counted);
}

const CUTS: readonly ContractTest[] = [
  {
    name: "a connection cut before the response makes the outcome ambiguous",
    async check(test, start) {
      const subject = await start(test);
      for (const delivers of [false, true]) {
        const phone = subject.addPhone();
        phone.script({ kind: "reset", when: "before-headers", delivers });
        requireRetry(await send(subject, phone), "ambiguous", true);
        subject.clock.advance(RECONNECT_DELAY_MAX_MS);
        assert.equal(formatOutcome(await send(subject, phone)), "accepted");
        assert.equal(phone.receivedMessages().length, delivers ? 2 : 1);
        assert.equal(phone.shownCount(), 1);
      }
    },
  },
  {
    name: "a connection cut during the response ends the attempt",
    async check(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      phone.script({ kind: "reset", when: "after-headers", delivers: true });
      assert.match(formatOutcome(await send(subject, phone)), /^(?:accepted|retry ambiguous)$/u);
      assert.equal(formatOutcome(await send(subject, subject.addPhone())), "accepted");
    },
  },
  {
    name: "a response with a truncated body still counts",
    async check(test, start) {
      const peer = await startRawPeer(test, (response) => {
        response.writeHead(503, { "content-type": "application/json", "retry-after": "77" });
        response.write("{", () => response.stream?.session?.socket.destroy());
      });
      const subject = await start(test, { peer });
      const outcome = await send(subject, subject.addPhone());
      assert.match(formatOutcome(outcome), /^retry (?:transient|ambiguous)$/u);
    },
  },
  {
    name: "a message that arrives several times shows one notification",
    async check(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const cut = { kind: "reset", when: "before-headers", delivers: true } as const;
      phone.script(cut, cut);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await send(subject, phone);
        subject.clock.advance(RECONNECT_DELAY_MAX_MS);
      }
      assert.equal(phone.receivedMessages().length, 3);
      assert.equal(phone.shownCount(), 1);
    },
  },
];

const TIMEOUTS: readonly ContractTest[] = [
  {
    name: "a missing response ends at the provider's timeout with an ambiguous outcome",
    async check(test, start) {
      const subject = await start(test, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
      await send(subject, subject.addPhone());
      const phone = subject.addPhone();
      phone.script({ kind: "hang" });
      const sentAt = performance.now();
      requireRetry(await send(subject, phone), "ambiguous", true);
      const tookMs = performance.now() - sentAt;
      // Timers are rounded.
      assert.ok(tookMs >= REQUEST_TIMEOUT_MS - 50, `${tookMs} ms`);
      assert.ok(tookMs < REQUEST_TIMEOUT_MS + GRACE_MAX_MS, `${tookMs} ms`);
    },
  },
  {
    name: "a response that stops after its headers ends at the provider's timeout",
    async check(test, start) {
      const peer = await startRawPeer(test, (response) => {
        response.writeHead(503, { "content-type": "application/json" });
        response.write("{");
      });
      const subject = await start(test, { peer, requestTimeoutMs: REQUEST_TIMEOUT_MS });
      const sentAt = performance.now();
      const outcome = await send(subject, subject.addPhone());
      assert.match(formatOutcome(outcome), /^retry (?:transient|ambiguous)$/u);
      assert.ok(performance.now() - sentAt < REQUEST_TIMEOUT_MS + GRACE_MAX_MS);
    },
  },
  {
    name: "a service that accepts connections but never responds is unreachable after the provider's timeout",
    async check(test, start) {
      const peer = await startSocketPeer(test, () => {});
      const subject = await start(test, { peer, requestTimeoutMs: REQUEST_TIMEOUT_MS });
      const sentAt = performance.now();
      requireRetry(await send(subject, subject.addPhone()), "unreachable", false);
      assert.ok(performance.now() - sentAt < REQUEST_TIMEOUT_MS + GRACE_MAX_MS);
    },
  },
];

const REFUSALS: readonly ContractTest[] = [
  {
    name: "a refused connection does not count as an attempt",
    async check(test, start) {
      const subject = await start(test, { peer: await createRefusingPeer() });
      const phone = subject.addPhone();
      const outcome = await send(subject, phone);
      requireRetry(outcome, "unreachable", false);
      assertValidOutcome(outcome, { startedAt: subject.clock.now(), secrets: phone.secrets });
    },
  },
  {
    name: "a service with an untrusted certificate is unreachable",
    async check(test, start) {
      const requests = { count: 0 };
      const peer = await startRawPeer(test, (response) => {
        requests.count += 1;
        response.end();
      });
      const { ca } = await createRefusingPeer();
      const subject = await start(test, { peer: { ...peer, ca } });
      requireRetry(await send(subject, subject.addPhone()), "unreachable", false);
      assert.equal(requests.count, 0);
    },
  },
  {
    name: "a service that resets connections is tried a few times a minute if reconnects are paced",
    async check(test, start) {
      const connections = { count: 0 };
      const peer = await startSocketPeer(test, (socket) => {
        connections.count += 1;
        socket.resetAndDestroy();
      });
      const subject = await start(test, { peer });
      const phone = subject.addPhone();
      for (let second = 0; second < 60; second += 1) {
        requireRetry(await send(subject, phone), "unreachable", false);
        subject.clock.advance(1_000);
      }
      assert.ok(connections.count > 0);
      if (subject.isReconnectPaced) {
        assert.ok(
          connections.count <= CONNECTS_IN_A_MINUTE_MAX,
          `${connections.count} connections`,
        );
      }
    },
  },
];

/** Contract tests for failing connections. */
export const CONNECTION_CONTRACT: readonly ContractTest[] = [...CUTS, ...TIMEOUTS, ...REFUSALS];
