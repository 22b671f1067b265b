import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ask, codeOf, HELLO, post } from "../contract/ask.ts";
import { addDevice, startApp, signUp, type TestApp } from "../support/app.ts";
import { ON_POSTGRES, portOfDatabases } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startCluster } from "../support/postgres-cluster.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { startOwnTime } from "../support/own-time.ts";

/** Every request is answered within this, whatever the database does. */
const ANSWER_MAX_MS = 4_000;
const SENDERS = 10;
const ROUNDS = 2;

/** Asks everything at once that needs the database; returns the answers, each within its time. */
async function askAll({ url }: TestApp, key: string, count: number) {
  const ownMs = startOwnTime();
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      post(url, {
        key,
        path: index % 2 === 0 ? "/api/v1/notify" : "/api/v1/notify-async",
        body: HELLO,
      }),
    ),
  );
  const tookMs = ownMs();
  assert.ok(tookMs < ANSWER_MAX_MS, `${Math.round(tookMs)} ms`);
  return answers;
}

async function startBehindProxy(t: TestContext) {
  const proxy = await startTcpProxy(t, portOfDatabases());
  const app = await startApp(t, { databasePort: proxy.port });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  await ann.client.notify(HELLO);
  return { proxy, app, ann, phone };
}

test(
  "where the database's network swallows everything, nobody waits above four seconds, nothing is stored, and all goes on by itself",
  ON_POSTGRES,
  async (t) => {
    const { proxy, app, ann } = await startBehindProxy(t);
    // Connections in use and in rest are lost alike.
    await askAll(app, ann.key, 30);
    proxy.swallow();
    for (let round = 0; round < 2; round += 1) {
      for (const answer of await askAll(app, ann.key, 40)) {
        assert.deepEqual([answer.status, codeOf(answer)], [500, "unavailable"]);
        assert.equal(answer.headers["retry-after"], "5");
      }
    }
    const ownMs = startOwnTime();
    assert.equal((await ask(app.url, { path: "/readyz" })).status, 503);
    assert.ok(ownMs() < ANSWER_MAX_MS);
    assert.equal((await ask(app.url, { path: "/healthz" })).status, 200);
    proxy.heal();
    const sinceHealed = startOwnTime();
    await eventually(
      () => post(app.url, { key: ann.key, body: HELLO }),
      ({ status }) => status === 200,
    );
    assert.ok(sinceHealed() < 3_000, `${sinceHealed()} ms`);
    for (const { status } of await askAll(app, ann.key, 40)) assert.equal(status, 200);
  },
);

test(
  "PostgreSQL that is ended at once and started again loses nothing that was answered, and is used again within three seconds",
  ON_POSTGRES,
  async (t) => {
    // Its commits are durable, as those of the tests' own server need not be.
    const cluster = await startCluster([]);
    t.after(() => cluster.stop());
    const app = await startApp(t, {
      environment: { TOCSIN_DATABASE_URL: `${cluster.url}/postgres` },
    });
    const ann = await signUp(app, "Ann");
    for (let round = 0; round < ROUNDS; round += 1) {
      const answered: string[] = [];
      const state = { isEnded: false, slowestMs: 0 };
      const sendOnAndOn = async () => {
        while (!state.isEnded) {
          const ownMs = startOwnTime();
          const answer = await post(app.url, {
            key: ann.key,
            path: "/api/v1/notify-async",
            body: HELLO,
          });
          state.slowestMs = Math.max(state.slowestMs, ownMs());
          const id = answer.headers["x-notification-id"];
          if (answer.status === 200) answered.push(String(id));
          else assert.deepEqual([answer.status, codeOf(answer)], [500, "unavailable"]);
        }
      };
      const senders = Array.from({ length: SENDERS }, sendOnAndOn);
      await eventually(
        async () => answered.length,
        (count) => count >= 40,
      );
      await cluster.crash();
      const before = answered.length;
      await cluster.restart();
      const sinceUp = startOwnTime();
      await eventually(
        async () => answered.length,
        (count) => count > before,
      );
      const againMs = sinceUp();
      state.isEnded = true;
      await Promise.all(senders);
      t.diagnostic(
        `first 200 after ${Math.round(againMs)} ms, slowest answer ${Math.round(state.slowestMs)} ms`,
      );
      assert.ok(againMs < 3_000, `${againMs} ms`);
      assert.ok(state.slowestMs < ANSWER_MAX_MS, `${state.slowestMs} ms`);
      const rows = await app.app.context.database.db
        .selectFrom("notification")
        .select("id")
        .execute();
      const stored = new Set(rows.map(({ id }) => id));
      assert.deepEqual(
        answered.filter((id) => !stored.has(id)),
        [],
      );
    }
  },
);
