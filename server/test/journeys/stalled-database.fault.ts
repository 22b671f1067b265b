import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { codeOf, HELLO, post } from "../contract/ask.ts";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { ON_POSTGRES, portOfDatabases } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/** A server whose commits of notifications take long enough that the network can stand still meanwhile. */
async function startSlow(t: TestContext) {
  const proxy = await startTcpProxy(t, portOfDatabases());
  const app = await startApp(t, { databasePort: proxy.port });
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  await ann.client.notify(HELLO);
  await phone.next();
  const beside = new Client({
    connectionString: app.database.kind === "postgres" ? app.database.url : "",
  });
  // It goes with the database at the latest.
  beside.on("error", () => {});
  await beside.connect();
  t.after(() => beside.end().catch(() => {}));
  await beside.query(`
    create function slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.5); return new; end $$;
    create trigger slow before insert on notification for each row execute function slow()`);
  const isCommitting = () =>
    eventually(
      () =>
        beside.query(
          "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
        ),
      ({ rows }) => rows.length > 0,
    );
  const send = () =>
    post(app.url, { key: ann.key, headers: { "idempotency-key": "once" }, body: HELLO });
  return { proxy, app, ann, phone, send, isCommitting };
}

test(
  "a commit whose answer is lost is looked for, and its sender is answered as if nothing had happened",
  ON_POSTGRES,
  async (t) => {
    const { proxy, ann, phone, send, isCommitting } = await startSlow(t);
    const sending = send();
    await isCommitting();
    proxy.stall();
    setTimeout(() => proxy.letNewThrough(), 1_000).unref();
    const answer = await sending;
    assert.equal(answer.status, 200, answer.text);
    assert.equal(JSON.parse(answer.text).message, "Delivered to 1 of 1 device");
    assert.equal(phone.judged.length, 2);
    const again = await send();
    assert.equal(again.headers["x-notification-id"], answer.headers["x-notification-id"]);
    assert.equal((await ann.client.notifications.list()).items.length, 2);
  },
);

test(
  "where nobody can say in time whether it is stored, the answer says so, and what is stored is sent once the network is back",
  ON_POSTGRES,
  async (t) => {
    const { proxy, app, ann, phone, send, isCommitting } = await startSlow(t);
    const sending = send();
    await isCommitting();
    proxy.stall();
    const answer = await sending;
    assert.deepEqual([answer.status, codeOf(answer)], [500, "unavailable"]);
    assert.equal(answer.headers["retry-after"], "5");
    assert.match(answer.text, /may have been stored/);
    proxy.goOn(0);
    await phone.next();
    assert.equal(phone.judged.length, 2);
    const again = await send();
    assert.equal(again.status, 200, again.text);
    const { rows } = await sql<{ id: string }>`select id from notification`.execute(
      app.app.context.database.db,
    );
    assert.equal(rows.length, 2);
    assert.equal((await ann.client.notifications.list()).items.length, 2);
  },
);
