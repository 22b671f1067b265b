import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient, type LiveEvent } from "@tocsin/sdk";
import { addDevice, startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";

const DAY_MS = 86_400_000;
const HELLO = { title: "Hello", body: "" };

/** Starts three servers on one database, each with its own data folder. */
async function startThreeNodes(t: TestContext): Promise<readonly [TestApp, TestApp, TestApp]> {
  const first = await startApp(t);
  return [first, await startApp(t, { peerApp: first }), await startApp(t, { peerApp: first })];
}

/** Returns a client of the same person for another server. */
async function createClientAt({ url }: Pick<TestApp, "url">, { client, key }: TestPerson) {
  const { token: accessToken } = await client.accessTokens.create({ label: "Other server" });
  return createClient({ baseUrl: url, apiKey: key, accessToken });
}

/** Collects the events of a live stream until the test ends. */
function followLive(t: TestContext, client: Awaited<ReturnType<typeof createClientAt>>) {
  const controller = new AbortController();
  const events: LiveEvent[] = [];
  const streamEnd = (async () => {
    for await (const event of client.live({ signal: controller.signal })) events.push(event);
  })().catch(() => {});
  t.after(async () => {
    controller.abort();
    await streamEnd;
  });
  const listKinds = () => events.map(({ kind }) => kind);
  return { events, listKinds };
}

test(
  "a machine's clock that jumps by a day has no effect: nodes use the database's clock",
  ON_POSTGRES,
  async (t) => {
    let clockOffsetMs = 0;
    const app = await startApp(t, { machineNow: () => Date.now() + clockOffsetMs });
    const ann = await signUp(app, "Ann");
    const { phone } = await addDevice(app, ann);
    const { now } = app.app.context;
    for (const jumpMs of [DAY_MS, -DAY_MS, 0]) {
      clockOffsetMs = jumpMs;
      assert.ok(Math.abs(now() - Date.now()) < 1_000, `${now() - Date.now()}`);
      const response = await ann.client.notify({ title: `${jumpMs}`, body: "" });
      assert.equal(response.message, "Delivered to 1 of 1 device");
      await phone.next();
    }
  },
);

test(
  "a key revoked or rotated on one node is refused by the others within two seconds",
  ON_POSTGRES,
  async (t) => {
    const [first, second, third] = await startThreeNodes(t);
    const ann = await signUp(first, "Ann");
    const others = [await createClientAt(second, ann), await createClientAt(third, ann)];
    for (const otherClient of others) await otherClient.notify(HELLO);
    const [key] = (await ann.client.keys.list()).items;
    assert.ok(key !== undefined);
    const readElapsedMs = startStealFreeTimer();
    await ann.client.keys.remove(key.id);
    for (const otherClient of others) {
      const isRefused = () =>
        otherClient.notify(HELLO).then(
          () => false,
          () => true,
        );
      await eventually(isRefused, (refused) => refused);
    }
    assert.ok(readElapsedMs() < 2_000, `${readElapsedMs()} ms`);
    const { key: newKey, id } = await ann.client.keys.create({ kind: "account" });
    const newKeyClient = createClient({ baseUrl: second.url, apiKey: newKey });
    await newKeyClient.notify(HELLO);
    const readRotationMs = startStealFreeTimer();
    await ann.client.keys.rotate(id, { overlapSeconds: 0 });
    await eventually(
      () =>
        newKeyClient.notify(HELLO).then(
          () => false,
          () => true,
        ),
      (refused) => refused,
    );
    assert.ok(readRotationMs() < 2_000, `${readRotationMs()} ms`);
  },
);

test(
  "a key made POST-only is refused for GET on the other nodes within two seconds",
  ON_POSTGRES,
  async (t) => {
    const [first, second, third] = await startThreeNodes(t);
    const ann = await signUp(first, "Ann");
    const [key] = (await ann.client.keys.list()).items;
    assert.ok(key !== undefined);
    const others = [await createClientAt(second, ann), await createClientAt(third, ann)];
    const isAccepted = (otherClient: (typeof others)[number]) =>
      otherClient.notifyWebhook(ann.key, HELLO).then(
        () => true,
        () => false,
      );
    for (const otherClient of others) assert.equal(await isAccepted(otherClient), true);
    // Updates the row directly: a database trigger notifies the nodes, not the server that writes.
    const { db } = first.app.context.database;
    for (const postOnlyAt of [first.app.context.now(), null]) {
      const readElapsedMs = startStealFreeTimer();
      await db
        .updateTable("api_key")
        .set({ post_only_at: postOnlyAt })
        .where("id", "=", key.id)
        .execute();
      for (const otherClient of others) {
        await eventually(
          () => isAccepted(otherClient),
          (accepted) => accepted === (postOnlyAt === null),
        );
      }
      assert.ok(readElapsedMs() < 2_000, `${readElapsedMs()} ms`);
    }
  },
);

test(
  "a live stream on one node shows what others accept, deliver, read and change",
  ON_POSTGRES,
  async (t) => {
    const [first, second] = await startThreeNodes(t);
    const ann = await signUp(first, "Ann");
    const annOnOtherNode = await createClientAt(second, ann);
    const { events, listKinds } = followLive(t, annOnOtherNode);
    const { phone, device } = await addDevice(first, ann);
    // Renames repeatedly, as the stream may open later.
    const rename = () => ann.client.devices.update(device.id, { name: "Phone" });
    await eventually(
      () => rename().then(listKinds),
      (received) => received.includes("device"),
    );
    const { notificationId } = await ann.client.notify(HELLO);
    assert.ok(notificationId !== null);
    await phone.next();
    await eventually(
      async () => listKinds(),
      (received) => received.includes("notification") && received.includes("delivery"),
    );
    const delivery = events.find(({ kind }) => kind === "delivery")?.data;
    assert.ok(delivery !== undefined && "notificationId" in delivery);
    assert.equal(delivery.notificationId, notificationId);
    await ann.client.feed.markRead({ ids: [notificationId] });
    await eventually(
      async () => listKinds(),
      (received) => received.includes("read"),
    );
    // No event is published twice.
    assert.equal(listKinds().filter((kind) => kind === "notification").length, 1);
  },
);

test(
  "an API node accepts sends, a worker delivers them, and the caller gets the result",
  ON_POSTGRES,
  async (t) => {
    const api = await startApp(t, { environment: { TOCSIN_ROLE: "api" } });
    const ann = await signUp(api, "Ann");
    const { phone } = await addDevice(api, ann);
    const { message } = await ann.client.notify(HELLO);
    assert.match(message, /1 queued$/);
    const worker = await startApp(t, { peerApp: api, environment: { TOCSIN_ROLE: "worker" } });
    await phone.next();
    // One hint between nodes may be lost, but not all three.
    const waitsMs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const readElapsedMs = startStealFreeTimer();
      const response = await ann.client.notify(HELLO);
      assert.equal(response.message, "Delivered to 1 of 1 device");
      waitsMs.push(readElapsedMs());
    }
    assert.ok(Math.min(...waitsMs) < 1_000, waitsMs.join(", "));
    const fetchStatus = async (path: string) => (await fetch(`${worker.url}${path}`)).status;
    assert.deepEqual(
      await Promise.all(["/healthz", "/readyz", "/metrics"].map(fetchStatus)),
      [200, 200, 200],
    );
    const missingPaths = [
      "/",
      "/openapi.json",
      "/api/v1/notify",
      "/api/app/v1/me",
      "/manifest.webmanifest",
    ];
    assert.deepEqual(await Promise.all(missingPaths.map(fetchStatus)), [404, 404, 404, 404, 404]);
  },
);

test(
  "another node takes over the jobs of a killed one within ten seconds",
  ON_POSTGRES,
  async (t) => {
    const app = await startApp(t);
    assert.ok(app.database.kind === "postgres");
    const ann = await signUp(app, "Ann");
    const { phone } = await addDevice(app, ann);
    const environment = {
      TOCSIN_DATABASE_URL: app.database.url,
      TOCSIN_DATA_DIR: await createTemporaryFolder(t),
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(phone.subscription.endpoint).origin,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_LOG_LEVEL: "fatal",
    };
    const otherNode = await startServerProcess(t, { environment });
    const annOnOtherNode = await createClientAt({ url: otherNode.url }, ann);
    // The push service does not respond to the first attempt: the node is killed with the job leased.
    phone.script({ kind: "hang" });
    const { notificationId } = await annOnOtherNode.notifyAsync(HELLO);
    await phone.waitForRequests(1);
    await otherNode.kill();
    const readElapsedMs = startStealFreeTimer();
    const { text } = await phone.next({ timeoutMs: 20_000 });
    const durationMs = readElapsedMs();
    t.diagnostic(`taken over after ${Math.round(durationMs)} ms`);
    assert.equal(JSON.parse(text).notification.tag, notificationId);
    assert.ok(durationMs < 10_000, `${durationMs} ms`);
  },
);
