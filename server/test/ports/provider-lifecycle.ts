import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Address, Outcome, PushProviderName } from "#providers/provider.ts";
import { assertValidOutcome, formatOutcome } from "./outcome-rules.ts";
import {
  createMessage,
  OPEN_SIGNAL,
  type ContractTest,
  type ProviderUnderTest,
} from "./provider-under-test.ts";
import { startSocketPeer } from "./raw-peer.ts";

const PHONE_COUNT = 30;
const MESSAGES_PER_PHONE = 10;
const SERVICE_NAME_LENGTH_MAX = 80;
const END_TIMEOUT_MS = 30_000;
const PROCESS_TIMEOUT_MS = 90_000;
const PROGRAM_PATH = fileURLToPath(new URL("./provider-end.ts", import.meta.url));

const ADDRESSES: Readonly<Record<PushProviderName, Address>> = {
  apns: { provider: "apns", token: "00".repeat(32), environment: "production" },
  fcm: { provider: "fcm", kind: "token", token: "x:APA91b" },
  webpush: {
    provider: "webpush",
    endpoint: "https://push.example.org/x",
    keys: { p256dh: "", auth: "" },
  },
};

function listAddressesOfOthers({ provider: { name } }: ProviderUnderTest): readonly Address[] {
  return Object.values(ADDRESSES).filter(({ provider }) => provider !== name);
}

/** Resolves with the outcome. Rejects after a timeout. */
async function withTimeout(outcome: Promise<Outcome>): Promise<Outcome> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error("The attempt did not end in time.")),
    END_TIMEOUT_MS,
  );
  try {
    return await Promise.race([outcome, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const NAME_TESTS: readonly ContractTest[] = [
  {
    name: "an address of another provider throws a TypeError",
    async run(test, start) {
      const subject = await start(test);
      const message = createMessage(subject.clock);
      for (const address of listAddressesOfOthers(subject)) {
        await assert.rejects(subject.provider.send(message, address, OPEN_SIGNAL), TypeError);
        assert.throws(() => subject.provider.getServiceName(address), TypeError);
      }
    },
  },
  {
    name: "a service's name is the same for its devices, short and without secrets",
    async run(test, start) {
      const subject = await start(test);
      const { provider } = subject;
      const firstPhone = subject.addPhone();
      const phones = [firstPhone, subject.addPhone()];
      const names = phones.map(({ address }) => provider.getServiceName(address));
      assert.equal(new Set(names).size, 1);
      await provider.send(createMessage(subject.clock), firstPhone.address, OPEN_SIGNAL);
      const name = provider.getServiceName(firstPhone.address);
      assert.equal(name, names[0]);
      assert.ok(name.startsWith(provider.name) && name.length <= SERVICE_NAME_LENGTH_MAX);
      assert.match(name, /^[\x20-\x7e]+$/u);
      for (const secret of phones.flatMap(({ secrets }) => secrets)) {
        assert.ok(!name.includes(secret));
      }
    },
  },
];

const SIGNAL_TESTS: readonly ContractTest[] = [
  {
    name: "an aborted signal prevents the request",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      const message = createMessage(subject.clock);
      const outcome = await subject.provider.send(message, phone.address, AbortSignal.abort());
      assert.equal(outcome.kind, "retry");
      assert.equal(outcome.kind === "retry" && outcome.isCounted, false);
      assert.equal(phone.countRequests(), 0);
      assert.equal(
        formatOutcome(await subject.provider.send(message, phone.address, OPEN_SIGNAL)),
        "accepted",
      );
      assert.equal(phone.countRequests(), 1);
    },
  },
  {
    name: "a signal that aborts before the response makes the outcome ambiguous",
    async run(test, start) {
      const subject = await start(test);
      const phone = subject.addPhone();
      phone.script({ kind: "hang" });
      const controller = new AbortController();
      const pendingOutcome = subject.provider.send(
        createMessage(subject.clock),
        phone.address,
        controller.signal,
      );
      await phone.waitForRequests(1);
      controller.abort();
      assert.equal(formatOutcome(await withTimeout(pendingOutcome)), "retry ambiguous");
      assert.equal(
        formatOutcome(
          await subject.provider.send(
            createMessage(subject.clock),
            subject.addPhone().address,
            OPEN_SIGNAL,
          ),
        ),
        "accepted",
      );
    },
  },
  {
    name: "a signal that aborts before the connection ends the attempt, which does not count",
    async run(test, start) {
      const subject = await start(test, { peer: await startSocketPeer(test, () => {}) });
      const phone = subject.addPhone();
      const controller = new AbortController();
      const pendingOutcome = subject.provider.send(
        createMessage(subject.clock),
        phone.address,
        controller.signal,
      );
      controller.abort();
      const outcome = await withTimeout(pendingOutcome);
      assert.equal(outcome.kind, "retry");
      assert.equal(outcome.kind === "retry" && outcome.isCounted, false);
    },
  },
];

const LIFECYCLE_TESTS: readonly ContractTest[] = [
  {
    name: "every message of a burst gets an outcome and arrives once",
    async run(test, start) {
      const subject = await start(test);
      const phones = Array.from({ length: PHONE_COUNT }, () => subject.addPhone());
      const outcomes = await Promise.all(
        Array.from({ length: PHONE_COUNT * MESSAGES_PER_PHONE }, async (_, index) => {
          const { address } = phones[index % phones.length] ?? subject.addPhone();
          const message = createMessage(subject.clock, { notificationId: `n-${index}` });
          return subject.provider.send(message, address, OPEN_SIGNAL);
        }),
      );
      assert.deepEqual([...new Set(outcomes.map(formatOutcome))], ["accepted"]);
      assert.deepEqual(
        [...new Set(phones.map((phone) => phone.listReceivedMessages().length))],
        [MESSAGES_PER_PHONE],
      );
      assert.deepEqual(
        [...new Set(phones.map((phone) => phone.countShown()))],
        [MESSAGES_PER_PHONE],
      );
    },
  },
  {
    name: "a provider renews its credentials while it runs for days",
    async run(test, start) {
      const subject = await start(test);
      // The gaps cover credentials that are still valid, due for renewal and expired.
      for (const minutes of [0, 19, 31, 49, 54, 61, 180, 1_441, 10_080]) {
        subject.clock.advance(minutes * 60_000);
        const phone = subject.addPhone();
        const message = createMessage(subject.clock);
        const outcome = await subject.provider.send(message, phone.address, OPEN_SIGNAL);
        assert.equal(formatOutcome(outcome), "accepted", `after ${minutes} minutes`);
      }
    },
  },
  {
    name: "closing a provider ends pending attempts and refuses new ones",
    async run(test, start) {
      const subject = await start(test);
      const phones = Array.from({ length: 5 }, () => subject.addPhone());
      await subject.provider.send(
        createMessage(subject.clock),
        subject.addPhone().address,
        OPEN_SIGNAL,
      );
      const pendingOutcomes = phones.map(async (phone) => {
        phone.script({ kind: "hang" });
        return subject.provider.send(createMessage(subject.clock), phone.address, OPEN_SIGNAL);
      });
      await Promise.all(phones.map((phone) => phone.waitForRequests(1)));
      await subject.provider.close();
      for (const pendingOutcome of pendingOutcomes) {
        assert.equal(formatOutcome(await withTimeout(pendingOutcome)), "retry ambiguous");
      }
      const latePhone = subject.addPhone();
      const message = createMessage(subject.clock);
      const outcome = await withTimeout(
        subject.provider.send(message, latePhone.address, OPEN_SIGNAL),
      );
      assertValidOutcome(outcome, { startedAt: subject.clock.now(), secrets: latePhone.secrets });
      assert.equal(outcome.kind === "retry" && outcome.isCounted, false);
      assert.equal(latePhone.countRequests(), 0);
      await subject.provider.close();
    },
  },
  {
    name: "a provider that was closed before its first send sends nothing",
    async run(test, start) {
      const subject = await start(test);
      await subject.provider.close();
      const phone = subject.addPhone();
      const pendingOutcome = subject.provider.send(
        createMessage(subject.clock),
        phone.address,
        OPEN_SIGNAL,
      );
      assert.equal((await withTimeout(pendingOutcome)).kind, "retry");
      assert.equal(phone.countRequests(), 0);
    },
  },
  {
    name: "a closed provider keeps neither connections nor its process alive",
    async run(test, start) {
      const { provider } = await start(test);
      const flags = ["--disable-warning=ExperimentalWarning"];
      const child = spawn(process.execPath, [...flags, PROGRAM_PATH, provider.name], {
        stdio: ["ignore", "inherit", "inherit"],
        timeout: PROCESS_TIMEOUT_MS,
      });
      const [code] = await once(child, "exit");
      assert.equal(code, 0);
    },
  },
];

/** Contract tests from the first send to the close. */
export const LIFECYCLE_CONTRACT: readonly ContractTest[] = [
  ...NAME_TESTS,
  ...SIGNAL_TESTS,
  ...LIFECYCLE_TESTS,
];
