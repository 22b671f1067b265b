import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { quantile } from "../campaigns/findings.ts";
import { listen } from "../doubles/listen.ts";
import { PushService } from "../doubles/push-service.ts";
import { addDevice, signUp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { subscribeBrowser } from "../support/push-peer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sizeOf, tellFigure } from "./bar.ts";
import { HOSTS_SETTING, type HostedDevice, type Hosts } from "./hosts-server.ts";

const HOSTS = 100;
const STRANGERS = sizeOf({ short: 5, full: 10 });
/** Each to all hosts of its sender: many more messages than hosts that hang leave room for. */
const ATTACKS_PER_SECOND = 3;
/** Beyond the limit of an attempt, so that what failed comes back in the full form. */
const ATTACKED_MS = sizeOf({ short: 4_000, full: 80_000 });
const OTHERS_PER_SECOND = 10;
const QUIET = sizeOf({ short: 30, full: 400 });
const TIMES_SLOWER = 1.5;
/** Below this nobody notices a difference; in short, beside other tests, only standing still is one. */
const UNNOTICED_MS = sizeOf({ short: 2_000, full: 20 });

/** The operator admits the first by a wildcard, and whatever is public. */
const HOSTS_ALLOWED = "open,*.up.example.org";
/** Endpoints of well-behaved browsers: a vendor's service, one below the operator's wildcard, and one of somebody else's. */
const GOOD = ["fcm.googleapis.com", "good.up.example.org", "push.example.net"] as const;

/** Hosts below the operator's wildcard, ports of one host, and ports of a vendor's name, none of which ever answers. */
function hangingOrigin(index: number): string {
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
  "push services that accept connections and never answer hold up nobody else",
  { timeout: 300_000 },
  async (t) => {
    const { others, strangers, hanging } = await stage(t);
    await sendAll(others, { count: GOOD.length * 4 });
    const quiet = await sendAll(others, { count: QUIET });
    const attack = new AbortController();
    const attacking = flood(strangers, attack.signal);
    t.after(() => attack.abort());
    await eventually(
      async () => hanging.sockets.size,
      (count) => count >= STRANGERS,
    );
    const count = (ATTACKED_MS / 1_000) * OTHERS_PER_SECOND;
    const beside = await sendAll(others, { count });
    attack.abort();
    const floods = await attacking;
    const [before = 0, under = 0] = [quiet, beside].map(({ times }) => quantile(times, 0.99));
    const figure =
      `${HOSTS} hosts and ports of ${STRANGERS} accounts, ${floods * (HOSTS / STRANGERS)} messages to them; ` +
      `${beside.undelivered} of ${count} others undelivered; ` +
      `p99 of others ${before.toFixed(1)} ms before, ${under.toFixed(1)} ms beside`;
    assert.equal(beside.undelivered, 0, figure);
    const isKept = under <= Math.max(UNNOTICED_MS, before * TIMES_SLOWER);
    assert.ok(isKept, figure);
    tellFigure(t, figure);
  },
);

async function stage(t: TestContext) {
  const hanging = await startHanging(t);
  const services = await Promise.all(GOOD.map((name) => PushService.start({ names: [name] })));
  t.after(() => Promise.all(services.map((service) => service.close())));
  const good = services.map(({ names, ca, port }) => ({ names, ca, port }));
  const { url, add } = await startServer(t, { good, elsewherePort: hanging.port });
  const others = await Promise.all(
    services.map(async (push, index) => {
      const person = await signUp({ url }, `Other${index}`);
      await addDevice({ push }, person);
      return person;
    }),
  );
  const strangers: TestPerson[] = [];
  while (strangers.length < STRANGERS)
    strangers.push(await signUp({ url }, `Stranger${strangers.length}`));
  await add(
    Array.from({ length: HOSTS }, (_, index) => ({
      accountId: strangers[index % STRANGERS]?.accountId ?? "",
      endpoint: `${hangingOrigin(index)}/x`,
      keys: subscribeBrowser().keys,
    })),
  );
  return { others, strangers, hanging };
}

/** Starts the server in a process of its own: what a test is made of would slow it down more than the attack. */
async function startServer(t: TestContext, hosts: Hosts) {
  const child = fork(new URL("./hosts-server.ts", import.meta.url), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: {
      ...process.env,
      TOCSIN_PORT: "0",
      TOCSIN_SIGN_UP: "open",
      TOCSIN_DATA_DIR: await temporaryFolder(t),
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

/** Takes connections, reads what comes and never says anything. */
async function startHanging(t: TestContext) {
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

/** Sends to everything that strangers have, one after the other and again, until the signal; returns how often. */
async function flood(strangers: readonly TestPerson[], signal: AbortSignal): Promise<number> {
  const sending: Promise<unknown>[] = [];
  while (!signal.aborted) {
    const { client } = strangers[sending.length % strangers.length] ?? {};
    if (client === undefined) break;
    // Whether it is taken is of no concern to the others.
    sending.push(client.notifyAsync({ title: "To nobody", body: "" }).catch(() => null));
    await wait(1_000 / ATTACKS_PER_SECOND, undefined, { signal }).catch(() => {});
  }
  await Promise.all(sending);
  return sending.length;
}

/** Sends to others in turn, and returns how long each outcome took and how many came to nothing. */
async function sendAll(others: readonly TestPerson[], { count }: { readonly count: number }) {
  const times: number[] = [];
  let undelivered = 0;
  const startedAt = performance.now();
  const sending = Array.from({ length: count }, async (_, index) => {
    const at = startedAt + (index * 1_000) / OTHERS_PER_SECOND;
    await wait(Math.max(0, at - performance.now()));
    const since = performance.now();
    const sent = others[index % others.length]?.client.notify({ title: "Hi", body: "" });
    const answer = await sent?.catch(() => null);
    times.push(performance.now() - since);
    if (answer?.responses[0]?.success !== true) undelivered += 1;
  });
  await Promise.all(sending);
  return { times, undelivered };
}
