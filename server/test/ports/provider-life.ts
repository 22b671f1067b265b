import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Address, Outcome, ProviderName } from "#providers/provider.ts";
import { requireOutcome, saidBy } from "./outcome-rules.ts";
import { messageFor, never } from "./provider-under-test.ts";
import type { Law, ProviderUnderTest } from "./provider-under-test.ts";
import { startDoor } from "./raw-peer.ts";

const MANY = 300;
const SERVICE_LENGTH_MAX = 80;
const END_TIMEOUT_MS = 30_000;
const PROCESS_TIMEOUT_MS = 90_000;
const PROGRAM = fileURLToPath(new URL("./provider-end.ts", import.meta.url));

const ADDRESSES: Readonly<Record<ProviderName, Address>> = {
  apns: { provider: "apns", token: "00".repeat(32), environment: "production" },
  fcm: { provider: "fcm", kind: "token", token: "x:APA91b" },
  webpush: {
    provider: "webpush",
    endpoint: "https://push.example.org/x",
    keys: { p256dh: "", auth: "" },
  },
};

function foreignTo({ provider: { name } }: ProviderUnderTest): readonly Address[] {
  return Object.values(ADDRESSES).filter(({ provider }) => provider !== name);
}

/** Resolves with the outcome; rejects where there is none in time. */
async function inTime(outcome: Promise<Outcome>): Promise<Outcome> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("It hangs.")), END_TIMEOUT_MS);
  try {
    return await Promise.race([outcome, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const NAMES: readonly Law[] = [
  {
    name: "an address of another provider is a fault of ours",
    async check(test, start) {
      const under = await start(test);
      const message = messageFor(under.clock);
      for (const address of foreignTo(under)) {
        await assert.rejects(under.provider.send(message, address, never), TypeError);
        assert.throws(() => under.provider.serviceOf(address), TypeError);
      }
    },
  },
  {
    name: "the name of a service is the same for its devices, short, and no secret",
    async check(test, start) {
      const under = await start(test);
      const { provider } = under;
      const first = under.addPhone();
      const phones = [first, under.addPhone()];
      const names = phones.map(({ address }) => provider.serviceOf(address));
      assert.equal(new Set(names).size, 1);
      await provider.send(messageFor(under.clock), first.address, never);
      const name = provider.serviceOf(first.address);
      assert.equal(name, names[0]);
      assert.ok(name.startsWith(provider.name) && name.length <= SERVICE_LENGTH_MAX);
      assert.match(name, /^[\x20-\x7e]+$/u);
      for (const secret of phones.flatMap(({ secrets }) => secrets)) {
        assert.ok(!name.includes(secret));
      }
    },
  },
];

const SIGNALS: readonly Law[] = [
  {
    name: "a signal that has fired lets nothing out",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      const message = messageFor(under.clock);
      const outcome = await under.provider.send(message, phone.address, AbortSignal.abort());
      assert.equal(outcome.kind, "retry");
      assert.equal(outcome.kind === "retry" && outcome.counted, false);
      assert.equal(phone.askedCount(), 0);
      assert.equal(saidBy(await under.provider.send(message, phone.address, never)), "accepted");
      assert.equal(phone.askedCount(), 1);
    },
  },
  {
    name: "a signal that fires while the answer is awaited leaves open whether the message arrived",
    async check(test, start) {
      const under = await start(test);
      const phone = under.addPhone();
      phone.plan({ kind: "hang" });
      const giving = new AbortController();
      const sending = under.provider.send(messageFor(under.clock), phone.address, giving.signal);
      await phone.received(1);
      giving.abort();
      assert.equal(saidBy(await inTime(sending)), "retry ambiguous");
      assert.equal(
        saidBy(await under.provider.send(messageFor(under.clock), under.addPhone().address, never)),
        "accepted",
      );
    },
  },
  {
    name: "a signal that fires before there is a connection ends the attempt, which does not count",
    async check(test, start) {
      const under = await start(test, { peer: await startDoor(test, () => {}) });
      const phone = under.addPhone();
      const giving = new AbortController();
      const sending = under.provider.send(messageFor(under.clock), phone.address, giving.signal);
      giving.abort();
      const outcome = await inTime(sending);
      assert.equal(outcome.kind, "retry");
      assert.equal(outcome.kind === "retry" && outcome.counted, false);
    },
  },
];

const ENDS: readonly Law[] = [
  {
    name: "a burst is answered to the last, and each message arrives once",
    async check(test, start) {
      const under = await start(test);
      const phones = Array.from({ length: MANY / 10 }, () => under.addPhone());
      const outcomes = await Promise.all(
        Array.from({ length: MANY }, async (_, index) => {
          const { address } = phones[index % phones.length] ?? under.addPhone();
          const message = messageFor(under.clock, { notificationId: `n-${index}` });
          return under.provider.send(message, address, never);
        }),
      );
      assert.deepEqual([...new Set(outcomes.map(saidBy))], ["accepted"]);
      assert.deepEqual([...new Set(phones.map((phone) => phone.arrived().length))], [10]);
      assert.deepEqual([...new Set(phones.map((phone) => phone.shownCount()))], [10]);
    },
  },
  {
    name: "a provider that runs for days is accepted at any hour",
    async check(test, start) {
      const under = await start(test);
      // Between messages so near the end of a credential that it is renewed unseen, no hour could pass.
      for (const minutes of [0, 19, 31, 49, 54, 61, 180, 1_441, 10_080]) {
        under.clock.advance(minutes * 60_000);
        const phone = under.addPhone();
        const message = messageFor(under.clock);
        const outcome = await under.provider.send(message, phone.address, never);
        assert.equal(saidBy(outcome), "accepted", `after ${minutes} minutes`);
      }
    },
  },
  {
    name: "a provider that closes ends what is under way, and takes nothing more",
    async check(test, start) {
      const under = await start(test);
      const phones = Array.from({ length: 5 }, () => under.addPhone());
      await under.provider.send(messageFor(under.clock), under.addPhone().address, never);
      const sendings = phones.map(async (phone) => {
        phone.plan({ kind: "hang" });
        return under.provider.send(messageFor(under.clock), phone.address, never);
      });
      await Promise.all(phones.map((phone) => phone.received(1)));
      await under.provider.close();
      for (const sending of sendings) {
        assert.equal(saidBy(await inTime(sending)), "retry ambiguous");
      }
      const late = under.addPhone();
      const message = messageFor(under.clock);
      const outcome = await inTime(under.provider.send(message, late.address, never));
      requireOutcome(outcome, { askedAt: under.clock.now(), secrets: late.secrets });
      assert.equal(outcome.kind === "retry" && outcome.counted, false);
      assert.equal(late.askedCount(), 0);
      await under.provider.close();
    },
  },
  {
    name: "a provider that closed before it sent anything takes nothing",
    async check(test, start) {
      const under = await start(test);
      await under.provider.close();
      const phone = under.addPhone();
      const sending = under.provider.send(messageFor(under.clock), phone.address, never);
      assert.equal((await inTime(sending)).kind, "retry");
      assert.equal(phone.askedCount(), 0);
    },
  },
  {
    name: "a provider that closed keeps neither a connection nor its process",
    async check(test, start) {
      const { provider } = await start(test);
      const flags = ["--disable-warning=ExperimentalWarning"];
      const child = spawn(process.execPath, [...flags, PROGRAM, provider.name], {
        stdio: ["ignore", "inherit", "inherit"],
        timeout: PROCESS_TIMEOUT_MS,
      });
      const [code] = await once(child, "exit");
      assert.equal(code, 0);
    },
  },
];

/** Rules from the first send to the end. */
export const LIFE_LAWS: readonly Law[] = [...NAMES, ...SIGNALS, ...ENDS];
