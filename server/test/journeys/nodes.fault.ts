import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient, type LiveEvent } from "@tocsin/sdk";
import { addDevice, startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startOwnTime } from "../support/own-time.ts";

const DAY = 86_400_000;
const HELLO = { title: "Hello", body: "" };

/** Three servers on one database, each with a folder of its own. */
async function startThree(t: TestContext): Promise<readonly [TestApp, TestApp, TestApp]> {
  const first = await startApp(t);
  return [first, await startApp(t, { beside: first }), await startApp(t, { beside: first })];
}

/** The same person at another server. */
async function at({ url }: Pick<TestApp, "url">, { client, key }: TestPerson) {
  const { token: accessToken } = await client.accessTokens.create({ label: "there" });
  return createClient({ baseUrl: url, apiKey: key, accessToken });
}

/** Reads a live stream until the test ends; what came is in `events`. */
function follow(t: TestContext, client: Awaited<ReturnType<typeof at>>) {
  const controller = new AbortController();
  const events: LiveEvent[] = [];
  const ended = (async () => {
    for await (const event of client.live({ signal: controller.signal })) events.push(event);
  })().catch(() => {});
  t.after(async () => {
    controller.abort();
    await ended;
  });
  const kinds = () => events.map(({ kind }) => kind);
  return { events, kinds };
}

test(
  "a machine's clock that jumps by a day changes nothing where the database's clock rules",
  ON_POSTGRES,
  async (t) => {
    let jumpedBy = 0;
    const app = await startApp(t, { machineNow: () => Date.now() + jumpedBy });
    const ann = await signUp(app, "Ann");
    const { phone } = await addDevice(app, ann);
    const { now } = app.app.context;
    for (const jump of [DAY, -DAY, 0]) {
      jumpedBy = jump;
      assert.ok(Math.abs(now() - Date.now()) < 1_000, `${now() - Date.now()}`);
      const answer = await ann.client.notify({ title: `${jump}`, body: "" });
      assert.equal(answer.message, "Delivered to 1 of 1 device");
      await phone.next();
    }
  },
);

test(
  "a key that is revoked, rotated or suspended on one of three nodes is refused by the others within two seconds",
  ON_POSTGRES,
  async (t) => {
    const [one, two, three] = await startThree(t);
    const ann = await signUp(one, "Ann");
    const others = [await at(two, ann), await at(three, ann)];
    for (const other of others) await other.notify(HELLO);
    const [key] = (await ann.client.keys.list()).items;
    assert.ok(key !== undefined);
    const ownMs = startOwnTime();
    await ann.client.keys.remove(key.id);
    for (const other of others) {
      const isRefused = () =>
        other.notify(HELLO).then(
          () => false,
          () => true,
        );
      await eventually(isRefused, (refused) => refused);
    }
    assert.ok(ownMs() < 2_000, `${ownMs()} ms`);
    const { key: again, id } = await ann.client.keys.create({ kind: "account" });
    const [second] = others.map(() => createClient({ baseUrl: two.url, apiKey: again }));
    await second?.notify(HELLO);
    await ann.client.keys.rotate(id, { overlapSeconds: 0 });
    await eventually(
      () =>
        second?.notify(HELLO).then(
          () => false,
          () => true,
        ) ?? Promise.resolve(false),
      (refused) => refused,
    );
    assert.ok(ownMs() < 5_000);
  },
);

test(
  "a key that is switched to POST alone on one node refuses GET on the others within two seconds, whoever died since",
  ON_POSTGRES,
  async (t) => {
    const [one, two, three] = await startThree(t);
    const ann = await signUp(one, "Ann");
    const [key] = (await ann.client.keys.list()).items;
    assert.ok(key !== undefined);
    const others = [await at(two, ann), await at(three, ann)];
    const isTaken = (other: (typeof others)[number]) =>
      other.notifyWebhook(ann.key, HELLO).then(
        () => true,
        () => false,
      );
    for (const other of others) assert.equal(await isTaken(other), true);
    // Straight in the database, as one does it who tells nobody: the database itself does.
    const { db } = one.app.context.database;
    for (const since of [one.app.context.now(), null]) {
      const ownMs = startOwnTime();
      await db
        .updateTable("api_key")
        .set({ post_only_at: since })
        .where("id", "=", key.id)
        .execute();
      for (const other of others) {
        await eventually(
          () => isTaken(other),
          (taken) => taken === (since === null),
        );
      }
      assert.ok(ownMs() < 2_000, `${ownMs()} ms`);
    }
  },
);

test(
  "a live stream on one node shows what others accept, deliver, read and change",
  ON_POSTGRES,
  async (t) => {
    const [one, two] = await startThree(t);
    const ann = await signUp(one, "Ann");
    const there = await at(two, ann);
    const { events, kinds } = follow(t, there);
    const { phone, device } = await addDevice(one, ann);
    // The stream may open a moment later.
    const rename = () => ann.client.devices.update(device.id, { name: "Phone" });
    await eventually(
      () => rename().then(kinds),
      (seen) => seen.includes("device"),
    );
    const { notificationId } = await ann.client.notify(HELLO);
    assert.ok(notificationId !== null);
    await phone.next();
    await eventually(
      async () => kinds(),
      (seen) => seen.includes("notification") && seen.includes("delivery"),
    );
    const delivery = events.find(({ kind }) => kind === "delivery")?.data;
    assert.ok(delivery !== undefined && "notificationId" in delivery);
    assert.equal(delivery.notificationId, notificationId);
    await ann.client.feed.markRead({ ids: [notificationId] });
    await eventually(
      async () => kinds(),
      (seen) => seen.includes("read"),
    );
    // Nothing is told twice, here or there.
    assert.equal(kinds().filter((kind) => kind === "notification").length, 1);
  },
);

test(
  "an api node takes what a worker sends, and its caller still hears what became of it",
  ON_POSTGRES,
  async (t) => {
    const api = await startApp(t, { environment: { TOCSIN_ROLE: "api" } });
    const ann = await signUp(api, "Ann");
    const { phone } = await addDevice(api, ann);
    const { message } = await ann.client.notify(HELLO);
    assert.match(message, /1 queued$/);
    const worker = await startApp(t, { beside: api, environment: { TOCSIN_ROLE: "worker" } });
    await phone.next();
    // Hints may be lost; that all of three are would be no accident.
    const waitsMs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const ownMs = startOwnTime();
      const answer = await ann.client.notify(HELLO);
      assert.equal(answer.message, "Delivered to 1 of 1 device");
      waitsMs.push(ownMs());
    }
    assert.ok(Math.min(...waitsMs) < 1_000, waitsMs.join(", "));
    const statusOf = async (path: string) => (await fetch(`${worker.url}${path}`)).status;
    assert.deepEqual(
      await Promise.all(["/healthz", "/readyz", "/metrics"].map(statusOf)),
      [200, 200, 200],
    );
    const closed = [
      "/",
      "/openapi.json",
      "/api/v1/notify",
      "/api/app/v1/me",
      "/manifest.webmanifest",
    ];
    assert.deepEqual(await Promise.all(closed.map(statusOf)), [404, 404, 404, 404, 404]);
  },
);

test(
  "a node that is killed is taken over from by another within ten seconds, and nothing is lost",
  ON_POSTGRES,
  async (t) => {
    const app = await startApp(t);
    assert.ok(app.database.kind === "postgres");
    const ann = await signUp(app, "Ann");
    const { phone } = await addDevice(app, ann);
    const environment = {
      TOCSIN_DATABASE_URL: app.database.url,
      TOCSIN_DATA_DIR: await temporaryFolder(t),
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(phone.subscription.endpoint).origin,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_LOG_LEVEL: "fatal",
    };
    const other = await startServerProcess(t, { environment });
    const there = await at({ url: other.url }, ann);
    // The push service does not answer the first attempt: the node dies holding the job.
    phone.script({ kind: "hang" });
    const { notificationId } = await there.notifyAsync(HELLO);
    await phone.received(1);
    await other.kill();
    const ownMs = startOwnTime();
    const { text } = await phone.next({ timeoutMs: 20_000 });
    const tookMs = ownMs();
    t.diagnostic(`taken over after ${Math.round(tookMs)} ms`);
    assert.equal(JSON.parse(text).notification.tag, notificationId);
    assert.ok(tookMs < 10_000, `${tookMs} ms`);
  },
);
