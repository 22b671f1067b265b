import assert from "node:assert/strict";
import type { Outcome } from "#providers/provider.ts";
import { assertValidOutcome, formatOutcome } from "./outcome-rules.ts";
import {
  createMessage,
  OPEN_SIGNAL,
  type ContractTest,
  type Phone,
  type ProviderUnderTest,
} from "./provider-under-test.ts";
import { startSocketPeer, createRefusingPeer, startHttpsPeer } from "./raw-peer.ts";

/** Long enough for a first connection on a busy machine, but short for a test. */
const REQUEST_TIMEOUT_MS = 1_500;
/** How much later than its timeout an attempt may end. */
const TIMEOUT_TOLERANCE_MS = 3_000;
/** How much earlier than its time a timer may fire. */
const TIMER_TOLERANCE_MS = 50;
const CONNECTIONS_PER_MINUTE_MAX = 7;
/** Longer than any delay before the next connection. */
const PAST_RECONNECT_DELAY_MS = 120_000;

async function send({ provider, clock }: ProviderUnderTest, { address }: Phone): Promise<Outcome> {
  return provider.send(createMessage(clock), address, OPEN_SIGNAL);
}

/** Asserts a retry after a request that may have arrived, which counts against the limit of attempts. */
function assertAmbiguous(outcome: Outcome): void {
  assert.equal(formatOutcome(outcome), "retry ambiguous");
  assert.equal(outcome.kind === "retry" && outcome.isCounted, true);
}

/** Asserts a retry after a request that cannot have arrived, which does not count against the limit of attempts. */
function assertUnreachable(outcome: Outcome): void {
  assert.equal(formatOutcome(outcome), "retry unreachable");
  assert.equal(outcome.kind === "retry" && outcome.isCounted, false);
}

const CUT_TESTS: readonly ContractTest[] = [
  {
    name: "a connection cut before the response makes the outcome ambiguous",
    async run(test, start) {
      const subject = await start(test);
      for (const delivers of [false, true]) {
        const phone = subject.addPhone();
        phone.script({ kind: "reset-connection", when: "before-headers", delivers });
        assertAmbiguous(await send(subject, phone));
        subject.clock.advance(PAST_RECONNECT_DELAY_MS);
        assert.equal(formatOutcome(await send(subject, phone)), "accepted");
        assert.equal(phone.listReceivedMessages().length, delivers ? 2 : 1);
        assert.equal(phone.countShown(), 1);
      }
    },
  },
  {
    name: "a connection cut during the response ends the attempt",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      phone.script({ kind: "reset-connection", when: "after-headers", delivers: true });
      assert.match(formatOutcome(await send(subject, phone)), /^(?:accepted|retry ambiguous)$/u);
      assert.equal(formatOutcome(await send(subject, subject.addPhone())), "accepted");
    },
  },
  {
    name: "a response whose body is cut off makes the outcome transient or ambiguous",
    async run(test, start) {
      const peer = await startHttpsPeer(test, (response) => {
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
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const cutScript = {
        kind: "reset-connection",
        when: "before-headers",
        delivers: true,
      } as const;
      phone.script(cutScript, cutScript);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await send(subject, phone);
        subject.clock.advance(PAST_RECONNECT_DELAY_MS);
      }
      assert.equal(phone.listReceivedMessages().length, 3);
      assert.equal(phone.countShown(), 1);
    },
  },
];

const TIMEOUT_TESTS: readonly ContractTest[] = [
  {
    name: "a missing response ends at the provider's timeout, and its outcome is ambiguous",
    async run(test, start) {
      const subject = await start(test, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
      await send(subject, subject.addPhone());
      const phone = subject.addPhone();
      phone.script({ kind: "hang" });
      const sentAt = performance.now();
      assertAmbiguous(await send(subject, phone));
      const durationMs = performance.now() - sentAt;
      assert.ok(durationMs >= REQUEST_TIMEOUT_MS - TIMER_TOLERANCE_MS, `${durationMs} ms`);
      assert.ok(durationMs < REQUEST_TIMEOUT_MS + TIMEOUT_TOLERANCE_MS, `${durationMs} ms`);
    },
  },
  {
    name: "a response that stops after its headers ends at the provider's timeout",
    async run(test, start) {
      const peer = await startHttpsPeer(test, (response) => {
        response.writeHead(503, { "content-type": "application/json" });
        response.write("{");
      });
      const subject = await start(test, { peer, requestTimeoutMs: REQUEST_TIMEOUT_MS });
      const sentAt = performance.now();
      const outcome = await send(subject, subject.addPhone());
      assert.match(formatOutcome(outcome), /^retry (?:transient|ambiguous)$/u);
      assert.ok(performance.now() - sentAt < REQUEST_TIMEOUT_MS + TIMEOUT_TOLERANCE_MS);
    },
  },
  {
    name: "a service that accepts connections but never responds is unreachable after the provider's timeout",
    async run(test, start) {
      const peer = await startSocketPeer(test, () => {});
      const subject = await start(test, { peer, requestTimeoutMs: REQUEST_TIMEOUT_MS });
      const sentAt = performance.now();
      assertUnreachable(await send(subject, subject.addPhone()));
      assert.ok(performance.now() - sentAt < REQUEST_TIMEOUT_MS + TIMEOUT_TOLERANCE_MS);
    },
  },
];

const REFUSAL_TESTS: readonly ContractTest[] = [
  {
    name: "a refused connection does not count as an attempt",
    async run(test, start) {
      const subject = await start(test, { peer: await createRefusingPeer() });
      const phone = subject.addPhone();
      const outcome = await send(subject, phone);
      assertUnreachable(outcome);
      assertValidOutcome(outcome, { startedAt: subject.clock.now(), secrets: phone.secrets });
    },
  },
  {
    name: "a service with an untrusted certificate is unreachable",
    async run(test, start) {
      const requests = { count: 0 };
      const peer = await startHttpsPeer(test, (response) => {
        requests.count += 1;
        response.end();
      });
      const { ca } = await createRefusingPeer();
      const subject = await start(test, { peer: { ...peer, ca } });
      assertUnreachable(await send(subject, subject.addPhone()));
      assert.equal(requests.count, 0);
    },
  },
  {
    name: "a service that resets connections is tried a few times a minute if reconnects are paced",
    async run(test, start) {
      const connections = { count: 0 };
      const peer = await startSocketPeer(test, (socket) => {
        connections.count += 1;
        socket.resetAndDestroy();
      });
      const subject = await start(test, { peer });
      const phone = subject.addPhone();
      for (let second = 0; second < 60; second += 1) {
        assertUnreachable(await send(subject, phone));
        subject.clock.advance(1_000);
      }
      assert.ok(connections.count > 0);
      if (subject.isReconnectPaced) {
        assert.ok(
          connections.count <= CONNECTIONS_PER_MINUTE_MAX,
          `${connections.count} connections`,
        );
      }
    },
  },
];

/** Contract tests for failing connections. */
export const CONNECTION_CONTRACT: readonly ContractTest[] = [
  ...CUT_TESTS,
  ...TIMEOUT_TESTS,
  ...REFUSAL_TESTS,
];
