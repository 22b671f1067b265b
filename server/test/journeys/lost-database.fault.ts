import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { requestJson, parseErrorCode, HELLO, post } from "../contract/http-requests.ts";
import { addDevice, startApp, signUp, type TestApp } from "../support/app.ts";
import { ON_POSTGRES, getDatabasePort } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startPostgres } from "../support/postgres-cluster.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";

/** Maximum response time of every request, whatever the database does. */
const RESPONSE_MAX_MS = 4_000;
/** Maximum time until sends work again after the database is back. */
const RECOVERY_MAX_MS = 3_000;
const SENDERS = 10;
/** Concurrent sends: more than the server has connections to the database. */
const SENDS = 40;
const ROUNDS = 2;

/** Makes concurrent requests that need the database; returns the responses, each within the time limit. */
async function sendConcurrently({ url }: TestApp, key: string, count: number) {
  const readElapsedMs = startStealFreeTimer();
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      post(url, {
        key,
        path: index % 2 === 0 ? "/api/v1/notify" : "/api/v1/notify-async",
        body: HELLO,
      }),
    ),
  );
  const durationMs = readElapsedMs();
  assert.ok(durationMs < RESPONSE_MAX_MS, `${Math.round(durationMs)} ms`);
  return responses;
}

async function startBehindProxy(t: TestContext) {
  const proxy = await startTcpProxy(t, getDatabasePort());
  const app = await startApp(t, { databasePort: proxy.port });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  await ann.client.notify(HELLO);
  return { proxy, app, ann, phone };
}

test(
  "every send fails within four seconds while packets to the database are lost, and later sends work again",
  ON_POSTGRES,
  async (t) => {
    const { proxy, app, ann } = await startBehindProxy(t);
    // Opens connections first: the network loses the packets of used and of idle ones.
    await sendConcurrently(app, ann.key, 30);
    proxy.blackhole();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const response of await sendConcurrently(app, ann.key, SENDS)) {
        assert.deepEqual([response.status, parseErrorCode(response)], [500, "unavailable"]);
        assert.equal(response.headers["retry-after"], "5");
      }
    }
    const readElapsedMs = startStealFreeTimer();
    assert.equal((await requestJson(app.url, { path: "/readyz" })).status, 503);
    assert.ok(readElapsedMs() < RESPONSE_MAX_MS);
    assert.equal((await requestJson(app.url, { path: "/healthz" })).status, 200);
    proxy.restore();
    const readRecoveryMs = startStealFreeTimer();
    await eventually(
      () => post(app.url, { key: ann.key, body: HELLO }),
      ({ status }) => status === 200,
    );
    assert.ok(readRecoveryMs() < RECOVERY_MAX_MS, `${readRecoveryMs()} ms`);
    for (const { status } of await sendConcurrently(app, ann.key, SENDS)) assert.equal(status, 200);
  },
);

test(
  "a PostgreSQL crash loses no acknowledged notification, and sends work within three seconds",
  ON_POSTGRES,
  async (t) => {
    // A separate cluster with durable commits: the shared test server may run without fsync.
    const cluster = await startPostgres([]);
    t.after(() => cluster.stop());
    const app = await startApp(t, {
      environment: { TOCSIN_DATABASE_URL: `${cluster.url}/postgres` },
    });
    const ann = await signUp(app, "Ann");
    for (let round = 0; round < ROUNDS; round += 1) {
      const acknowledged: string[] = [];
      const state = { isEnded: false, slowestMs: 0 };
      const sendRepeatedly = async () => {
        while (!state.isEnded) {
          const readElapsedMs = startStealFreeTimer();
          const response = await post(app.url, {
            key: ann.key,
            path: "/api/v1/notify-async",
            body: HELLO,
          });
          state.slowestMs = Math.max(state.slowestMs, readElapsedMs());
          const id = response.headers["x-notification-id"];
          if (response.status === 200) acknowledged.push(String(id));
          else assert.deepEqual([response.status, parseErrorCode(response)], [500, "unavailable"]);
        }
      };
      const senders = Array.from({ length: SENDERS }, sendRepeatedly);
      await eventually(
        async () => acknowledged.length,
        (count) => count >= 40,
      );
      await cluster.crash();
      const acknowledgedBefore = acknowledged.length;
      await cluster.restart();
      const readRecoveryMs = startStealFreeTimer();
      await eventually(
        async () => acknowledged.length,
        (count) => count > acknowledgedBefore,
      );
      const recoveryMs = readRecoveryMs();
      state.isEnded = true;
      await Promise.all(senders);
      t.diagnostic(
        `first 200 after ${Math.round(recoveryMs)} ms, slowest response ${Math.round(state.slowestMs)} ms`,
      );
      assert.ok(recoveryMs < RECOVERY_MAX_MS, `${recoveryMs} ms`);
      assert.ok(state.slowestMs < RESPONSE_MAX_MS, `${state.slowestMs} ms`);
      const rows = await app.app.context.database.db
        .selectFrom("notification")
        .select("id")
        .execute();
      const storedIds = new Set(rows.map(({ id }) => id));
      assert.deepEqual(
        acknowledged.filter((id) => !storedIds.has(id)),
        [],
      );
    }
  },
);
