import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { pino } from "pino";
import { addDevice, startApp, signUp, type TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { ask, codeOf, HELLO, post } from "./ask.ts";

/** Takes what every write needs, as a second process would; returns how to give it back. */
async function lock({ dataDir, database }: TestApp): Promise<() => Promise<void>> {
  if (database.kind === "postgres") {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query("begin; lock table notification in access exclusive mode");
    return () => other.end();
  }
  const other = new DatabaseSync(join(dataDir, "tocsin.db"));
  other.exec("begin immediate");
  return async () => {
    other.exec("rollback");
    other.close();
  };
}

/** Makes every write of the server fail as it does on a read-only disk or a standby, or lets it write again. */
async function setReadOnly(app: TestApp, value: "on" | "off"): Promise<void> {
  const { database } = app;
  if (database.kind === "sqlite") {
    await sql.raw(`pragma query_only = ${value}`).execute(app.app.context.database.db);
    return;
  }
  const other = new Client({ connectionString: database.url });
  await other.connect();
  const name = other.escapeIdentifier(new URL(database.url).pathname.slice(1));
  await other.query(
    `set transaction read write; alter database ${name} set default_transaction_read_only = ${value}`,
  );
  // Only connections that are made from now on are so.
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await other.end();
  const status = value === "on" ? 503 : 200;
  await eventually(
    () => ask(app.url, { path: "/readyz" }),
    (answer) => answer.status === status,
  );
}

test("a database that cannot be written is 500 unavailable with Retry-After, and nothing is stored", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  await ann.client.notify(HELLO);
  await setReadOnly(app, "on");
  for (const path of ["/notify", "/notify-async", `/notify/${ann.key}`]) {
    for (const headers of [{}, { "idempotency-key": "once" }]) {
      const answer = await post(app.url, {
        key: ann.key,
        path: `/api/v1${path}`,
        headers,
        body: HELLO,
      });
      assert.deepEqual([answer.status, codeOf(answer)], [500, "unavailable"], path);
      assert.equal(answer.headers["retry-after"], "5");
      assert.equal(answer.headers["x-notification-id"], undefined);
    }
  }
  assert.equal((await ask(app.url, { path: "/healthz" })).status, 200);
  assert.equal((await ask(app.url, { path: "/readyz" })).status, 503);
  await setReadOnly(app, "off");
  // A database that took nothing is tried once a second.
  await eventually(
    () => ask(app.url, { path: "/readyz" }),
    (answer) => answer.status === 200,
  );
  assert.equal((await ann.client.notifications.list()).items.length, 1);
  assert.equal(phone.judged.length, 1);
  const again = await ann.client.notify(HELLO, { idempotencyKey: "once" });
  assert.equal(again.message, "Delivered to 1 of 1 device");
});

test("a database that another process holds for long is unavailable too", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const unlock = await lock(app);
  const answer = await post(app.url, { key, body: HELLO });
  await unlock();
  assert.deepEqual([answer.status, codeOf(answer)], [500, "unavailable"]);
  assert.deepEqual((await client.notifications.list()).items, []);
  assert.equal((await post(app.url, { key, body: HELLO })).status, 200);
});

test("a server that is draining says so to its load balancer, and goes on serving", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  app.app.drain();
  assert.equal((await ask(app.url, { path: "/readyz" })).status, 503);
  assert.equal((await ask(app.url, { path: "/healthz" })).status, 200);
  assert.deepEqual((await client.notify(HELLO)).responses, []);
});

test("a notification answered with success is there after a stop at once", async (t) => {
  const first = await startApp(t);
  const ann = await signUp(first, "Ann");
  const { phone } = await addDevice(first, ann);
  phone.script({ kind: "answer", status: 503 });
  const { notificationId } = await ann.client.notifyAsync(HELLO);
  await first.app.stop();
  await startApp(t, { dataDir: first.dataDir, push: first.push });
  const { notification } = JSON.parse((await phone.next()).text);
  assert.equal(notification.tag, notificationId);
});

test("a fault of ours is 500 internal with generic text, and is logged once with its request", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
  const app = await startApp(t, { log });
  const { key } = await signUp(app, "Ann");
  await app.app.context.database.db.schema.dropTable("notification").execute();
  const answer = await post(app.url, { key, body: HELLO });
  const { message, error } = JSON.parse(answer.text);
  assert.deepEqual([answer.status, error.code], [500, "internal"]);
  assert.equal(message, "Something went wrong on this server.");
  assert.equal(lines.filter((line) => line.includes(error.requestId)).length, 1);
});

test("every surface says so where a database cannot be written", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const { key: team } = await client.teams.create({ name: "Ops" });
  await setReadOnly(app, "on");
  const refused = { status: 500, code: "unavailable", retryAfterMs: 5_000 };
  await assert.rejects(client.keys.create({ kind: "account" }), refused);
  await assert.rejects(client.management.invite({ team, email: "bob@example.org" }), refused);
  const person = { email: "eve@example.org", password: "a long password", name: "Eve" };
  await assert.rejects(app.anonymous.signUp(person), refused);
  await setReadOnly(app, "off");
  assert.equal((await post(app.url, { key, body: HELLO })).status, 200);
});
