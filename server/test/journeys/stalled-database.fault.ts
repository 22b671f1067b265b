import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { parseErrorCode, HELLO, post } from "../contract/http-requests.ts";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { ON_POSTGRES, getDatabasePort } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/**
 * Starts a server whose sends take half a second in the database, so that a test can stall the network before a commit.
 */
async function setUp(t: TestContext) {
  const proxy = await startTcpProxy(t, getDatabasePort());
  const app = await startApp(t, { databasePort: proxy.port });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  await ann.client.notify(HELLO);
  await phone.next();
  const monitor = new Client({
    connectionString: app.database.kind === "postgres" ? app.database.url : "",
  });
  // The connection fails when the database is dropped.
  monitor.on("error", () => {});
  await monitor.connect();
  t.after(() => monitor.end().catch(() => {}));
  await monitor.query(`
    create function slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.5); return new; end $$;
    create trigger slow before insert on notification for each row execute function slow()`);
  const waitForCommit = () =>
    eventually(
      () =>
        monitor.query(
          "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
        ),
      ({ rows }) => rows.length > 0,
    );
  const send = () =>
    post(app.url, { key: ann.key, headers: { "idempotency-key": "once" }, body: HELLO });
  return { proxy, app, ann, phone, send, waitForCommit };
}

test(
  "the server checks the database after a lost commit reply, and responds normally",
  ON_POSTGRES,
  async (t) => {
    const { proxy, ann, phone, send, waitForCommit } = await setUp(t);
    const sending = send();
    await waitForCommit();
    proxy.stall();
    setTimeout(() => proxy.forwardNewConnections(), 1_000).unref();
    const response = await sending;
    assert.equal(response.status, 200, response.text);
    assert.equal(JSON.parse(response.text).message, "Delivered to 1 of 1 device");
    assert.equal(phone.requests.length, 2);
    const repeated = await send();
    assert.equal(repeated.headers["x-notification-id"], response.headers["x-notification-id"]);
    assert.equal((await ann.client.notifications.list()).items.length, 2);
  },
);

test(
  "a send whose commit remains unconfirmed is reported as such, and is sent if it was stored",
  ON_POSTGRES,
  async (t) => {
    const { proxy, app, ann, phone, send, waitForCommit } = await setUp(t);
    const sending = send();
    await waitForCommit();
    proxy.stall();
    const response = await sending;
    assert.deepEqual([response.status, parseErrorCode(response)], [500, "unavailable"]);
    assert.equal(response.headers["retry-after"], "5");
    assert.match(response.text, /may have been stored/);
    proxy.resume(0);
    await phone.next();
    assert.equal(phone.requests.length, 2);
    const repeated = await send();
    assert.equal(repeated.status, 200, repeated.text);
    const { rows } = await sql<{ id: string }>`select id from notification`.execute(
      app.app.context.database.db,
    );
    assert.equal(rows.length, 2);
    assert.equal((await ann.client.notifications.list()).items.length, 2);
  },
);
