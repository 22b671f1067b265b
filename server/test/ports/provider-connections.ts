import assert from "node:assert/strict";
import type { Outcome } from "#providers/provider.ts";
import { requireOutcome, saidBy } from "./outcome-rules.ts";
import { messageFor, never } from "./provider-under-test.ts";
import type { Law, Phone, ProviderUnderTest } from "./provider-under-test.ts";
import { startDoor, startNobody, startRawPeer } from "./raw-peer.ts";

/** Long enough for a first connection on a busy machine, short enough to wait for. */
const REQUEST_TIMEOUT_MS = 1_500;
/** A wait that outlives its limit by more has lost it. */
const GRACE_MS = 3_000;
const CONNECTS_IN_A_MINUTE_MAX = 7;
/** Longer than any wait before the next connection. */
const REST_MS = 120_000;

async function send({ provider, clock }: ProviderUnderTest, { address }: Phone): Promise<Outcome> {
  return provider.send(messageFor(clock), address, never);
}

function requireRetry(outcome: Outcome, said: string, counted: boolean): void {
  assert.equal(saidBy(outcome), `retry ${said}`);
  assert.equal(outcome.kind === "retry" && outcome.counted, counted);
}

const CUTS: readonly Law[] = [
  {
    name: "a connection that is cut before the answer leaves open whether the message arrived",
    async check(test, start) {
      const under = await start(test);
      for (const delivers of [false, true]) {
        const phone = under.addPhone();
        phone.plan({ kind: "reset", when: "before-headers", delivers });
        requireRetry(await send(under, phone), "ambiguous", true);
        under.clock.advance(REST_MS);
        assert.equal(saidBy(await send(under, phone)), "accepted");
        assert.equal(phone.arrived().length, delivers ? 2 : 1);
        assert.equal(phone.shownCount(), 1);
      }
    },
  },
  {
    name: "a connection that is cut within the answer ends the attempt",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      phone.plan({ kind: "reset", when: "after-headers", delivers: true });
      assert.match(saidBy(await send(under, phone)), /^(?:accepted|retry ambiguous)$/u);
      assert.equal(saidBy(await send(under, under.addPhone())), "accepted");
    },
  },
  {
    name: "an answer of which the body is cut is still the answer",
    async check(test, start) {
      const peer = await startRawPeer(test, (response) => {
        response.writeHead(503, { "content-type": "application/json", "retry-after": "77" });
        response.write("{", () => response.stream?.session?.socket.destroy());
      });
      const under = await start(test, { peer });
      const outcome = await send(under, under.addPhone());
      assert.match(saidBy(outcome), /^retry (?:transient|ambiguous)$/u);
    },
  },
  {
    name: "a message that arrives with every attempt shows one notification",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const cut = { kind: "reset", when: "before-headers", delivers: true } as const;
      phone.plan(cut, cut);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await send(under, phone);
        under.clock.advance(REST_MS);
      }
      assert.equal(phone.arrived().length, 3);
      assert.equal(phone.shownCount(), 1);
    },
  },
];

const SILENCE: readonly Law[] = [
  {
    name: "an answer that does not come ends at the provider's limit, and leaves open whether the message arrived",
    async check(test, start) {
      const under = await start(test, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
      await send(under, under.addPhone());
      const phone = under.addPhone();
      phone.plan({ kind: "hang" });
      const sentAt = performance.now();
      requireRetry(await send(under, phone), "ambiguous", true);
      const tookMs = performance.now() - sentAt;
      // Timers are rounded.
      assert.ok(tookMs >= REQUEST_TIMEOUT_MS - 50, `${tookMs} ms`);
      assert.ok(tookMs < REQUEST_TIMEOUT_MS + GRACE_MS, `${tookMs} ms`);
    },
  },
  {
    name: "an answer that stops after its head ends at the provider's limit",
    async check(test, start) {
      const peer = await startRawPeer(test, (response) => {
        response.writeHead(503, { "content-type": "application/json" });
        response.write("{");
      });
      const under = await start(test, { peer, requestTimeoutMs: REQUEST_TIMEOUT_MS });
      const sentAt = performance.now();
      const outcome = await send(under, under.addPhone());
      assert.match(saidBy(outcome), /^retry (?:transient|ambiguous)$/u);
      assert.ok(performance.now() - sentAt < REQUEST_TIMEOUT_MS + GRACE_MS);
    },
  },
  {
    name: "a service that takes connections and says nothing is given up at the provider's limit",
    async check(test, start) {
      const peer = await startDoor(test, () => {});
      const under = await start(test, { peer, requestTimeoutMs: REQUEST_TIMEOUT_MS });
      const sentAt = performance.now();
      requireRetry(await send(under, under.addPhone()), "unreachable", false);
      assert.ok(performance.now() - sentAt < REQUEST_TIMEOUT_MS + GRACE_MS);
    },
  },
];

const DOORS: readonly Law[] = [
  {
    name: "a refused connection counts against nobody",
    async check(test, start) {
      const under = await start(test, { peer: await startNobody() });
      const phone = under.addPhone();
      const outcome = await send(under, phone);
      requireRetry(outcome, "unreachable", false);
      requireOutcome(outcome, { askedAt: under.clock.now(), secrets: phone.secrets });
    },
  },
  {
    name: "a certificate that nobody vouches for is no service",
    async check(test, start) {
      const asked = { count: 0 };
      const peer = await startRawPeer(test, (response) => {
        asked.count += 1;
        response.end();
      });
      const { ca } = await startNobody();
      const under = await start(test, { peer: { ...peer, ca } });
      requireRetry(await send(under, under.addPhone()), "unreachable", false);
      assert.equal(asked.count, 0);
    },
  },
  {
    name: "a door that is slammed is knocked at a few times a minute, where connections are paced",
    async check(test, start) {
      const knocks = { count: 0 };
      const peer = await startDoor(test, (socket) => {
        knocks.count += 1;
        socket.resetAndDestroy();
      });
      const under = await start(test, { peer });
      const phone = under.addPhone();
      for (let second = 0; second < 60; second += 1) {
        requireRetry(await send(under, phone), "unreachable", false);
        under.clock.advance(1_000);
      }
      assert.ok(knocks.count > 0);
      if (under.isReconnectPaced) {
        assert.ok(knocks.count <= CONNECTS_IN_A_MINUTE_MAX, `${knocks.count} connections`);
      }
    },
  },
];

/** Rules for connections that fail. */
export const CONNECTION_LAWS: readonly Law[] = [...CUTS, ...SILENCE, ...DOORS];
