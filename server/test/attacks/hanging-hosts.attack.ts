import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { computeQuantile } from "../campaigns/findings.ts";
import { listen } from "../doubles/listen.ts";
import { PushService } from "../doubles/push-service.ts";
import { addDevice, signUp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { subscribeBrowser } from "../support/push-peer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { chooseSize, reportFigure } from "./bar.ts";
import { HOSTS_SETTING, type HostedDevice, type Hosts } from "./hosts-server.ts";

const HOST_COUNT = 100;
const ATTACKER_COUNT = chooseSize({ short: 5, full: 10 });
/** Each notification goes to all hosts of its sender, so there are many more messages than permits for hanging hosts. */
const ATTACKS_PER_SECOND = 3;
/** In the full form, longer than an attempt's timeout, so that failed messages are retried. */
const ATTACK_DURATION_MS = chooseSize({ short: 4_000, full: 80_000 });
const OTHER_SENDS_PER_SECOND = 10;
const BASELINE_SEND_COUNT = chooseSize({ short: 30, full: 400 });
const SLOWDOWN_MAX = 1.5;
/** Negligible latency. The short form, which runs next to other tests, only detects a standstill. */
const NEGLIGIBLE_MS = chooseSize({ short: 2_000, full: 20 });

/** Allows every public host, and one domain by a wildcard. */
const HOSTS_ALLOWED = "open,*.up.example.org";
/** Hosts of working endpoints: a vendor's service, one that the wildcard allows, and a third party's. */
const RESPONSIVE_HOSTS = ["fcm.googleapis.com", "good.up.example.org", "push.example.net"] as const;

/** Returns the origin of a host that never responds: below the wildcard, on any host, or on a port of one host or a vendor. */
function createHangingOrigin(index: number): string {
  const port = 8_000 + index;
  const kinds = [
    `https://h${index}.up.example.org`,
    `https://h${index}.example.com`,
    `https://one.example.com:${port}`,
    `https://updates.push.services.mozilla.com:${port}`,
  ];
  return kinds[index % kinds.length] ?? "";
}

test(
  "push services that accept connections and never respond do not delay other sends",
  { timeout: 300_000 },
  async (t) => {
    const { otherSenders, attackers, hanging } = await setUp(t);
    await sendAll(otherSenders, { count: RESPONSIVE_HOSTS.length * 4 });
    const baseline = await sendAll(otherSenders, { count: BASELINE_SEND_COUNT });
    const attackController = new AbortController();
    const attackerSends = sendUntilAborted(attackers, attackController.signal);
    t.after(() => attackController.abort());
    await eventually(
      async () => hanging.sockets.size,
      (count) => count >= ATTACKER_COUNT,
    );
    const otherSendCount = (ATTACK_DURATION_MS / 1_000) * OTHER_SENDS_PER_SECOND;
    const underAttack = await sendAll(otherSenders, { count: otherSendCount });
    attackController.abort();
    const attackerSendCount = await attackerSends;
    const [beforeMs = 0, duringMs = 0] = [baseline, underAttack].map(({ latenciesMs }) =>
      computeQuantile(latenciesMs, 0.99),
    );
    const figure =
      `${HOST_COUNT} hosts and ports of ${ATTACKER_COUNT} accounts, ${attackerSendCount * (HOST_COUNT / ATTACKER_COUNT)} messages to them; ` +
      `${underAttack.undeliveredCount} of ${otherSendCount} other sends undelivered; ` +
      `p99 of other sends ${beforeMs.toFixed(1)} ms before, ${duringMs.toFixed(1)} ms during the attack`;
    assert.equal(underAttack.undeliveredCount, 0, figure);
    const isWithinLimit = duringMs <= Math.max(NEGLIGIBLE_MS, beforeMs * SLOWDOWN_MAX);
    assert.ok(isWithinLimit, figure);
    reportFigure(t, figure);
  },
);

async function setUp(t: TestContext) {
  const hanging = await startHangingServer(t);
  const services = await Promise.all(
    RESPONSIVE_HOSTS.map((name) => PushService.start({ names: [name] })),
  );
  t.after(() => Promise.all(services.map((service) => service.close())));
  const responsive = services.map(({ names, ca, port }) => ({ names, ca, port }));
  const { url, add } = await startServer(t, { responsive, hangingPort: hanging.port });
  const otherSenders = await Promise.all(
    services.map(async (push, index) => {
      const person = await signUp({ url }, `Other${index}`);
      await addDevice({ push }, person);
      return person;
    }),
  );
  const attackers: TestPerson[] = [];
  while (attackers.length < ATTACKER_COUNT)
    attackers.push(await signUp({ url }, `Attacker${attackers.length}`));
  await add(
    Array.from({ length: HOST_COUNT }, (_, index) => ({
      accountId: attackers[index % ATTACKER_COUNT]?.accountId ?? "",
      endpoint: `${createHangingOrigin(index)}/x`,
      keys: subscribeBrowser().keys,
    })),
  );
  return { otherSenders, attackers, hanging };
}

/** Starts the server in a separate process: the test's own work would slow it down more than the attack. */
async function startServer(t: TestContext, hosts: Hosts) {
  const child = fork(new URL("./hosts-server.ts", import.meta.url), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: {
      ...process.env,
      TOCSIN_PORT: "0",
      TOCSIN_SIGN_UP: "open",
      TOCSIN_DATA_DIR: await createTemporaryFolder(t),
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_WEBPUSH_HOSTS: HOSTS_ALLOWED,
      TOCSIN_SYNC_WAIT_MS: "25000",
      TOCSIN_RATE_LIMIT_PER_S: "0",
      [HOSTS_SETTING]: JSON.stringify(hosts),
    },
  });
  t.after(async () => {
    if (child.exitCode !== null) return;
    child.disconnect();
    await once(child, "exit");
  });
  const [{ url }] = await once(child, "message");
  const add = async (devices: readonly HostedDevice[]) => {
    child.send(devices);
    await once(child, "message");
  };
  return { url: String(url), add };
}

/** Starts a server that accepts connections, reads, and never responds. */
async function startHangingServer(t: TestContext) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.resume();
  });
  const port = await listen(server);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, sockets };
}

/** Sends to the attackers' devices in turn until the signal aborts; returns the number of sends. */
async function sendUntilAborted(
  attackers: readonly TestPerson[],
  signal: AbortSignal,
): Promise<number> {
  const sending: Promise<unknown>[] = [];
  while (!signal.aborted) {
    const { client } = attackers[sending.length % attackers.length] ?? {};
    if (client === undefined) break;
    // Ignores the result: only the other sends are measured.
    sending.push(client.notifyAsync({ title: "Flood", body: "" }).catch(() => null));
    await wait(1_000 / ATTACKS_PER_SECOND, undefined, { signal }).catch(() => {});
  }
  await Promise.all(sending);
  return sending.length;
}

/** Sends to the other accounts in turn; returns how long each send took, and how many were not delivered. */
async function sendAll(otherSenders: readonly TestPerson[], { count }: { readonly count: number }) {
  const latenciesMs: number[] = [];
  let undeliveredCount = 0;
  const startedAt = performance.now();
  const sending = Array.from({ length: count }, async (_, index) => {
    const dueAt = startedAt + (index * 1_000) / OTHER_SENDS_PER_SECOND;
    await wait(Math.max(0, dueAt - performance.now()));
    const sentAt = performance.now();
    const pendingResponse = otherSenders[index % otherSenders.length]?.client.notify({
      title: "Hi",
      body: "",
    });
    const response = await pendingResponse?.catch(() => null);
    latenciesMs.push(performance.now() - sentAt);
    if (response?.responses[0]?.success !== true) undeliveredCount += 1;
  });
  await Promise.all(sending);
  return { latenciesMs, undeliveredCount };
}
