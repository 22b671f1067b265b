import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { pino } from "pino";
import { addDevice, startApp, signUp, type TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { requestJson, parseErrorCode, HELLO, post } from "./http-requests.ts";

/** Takes the write lock in a second connection. Returns a function that releases it. */
async function lockDatabase({ dataDir, database }: TestApp): Promise<() => Promise<void>> {
  if (database.kind === "postgres") {
    const connection = new Client({ connectionString: database.url });
    await connection.connect();
    await connection.query("begin; lock table notification in access exclusive mode");
    return () => connection.end();
  }
  const connection = new DatabaseSync(join(dataDir, "tocsin.db"));
  connection.exec("begin immediate");
  return async () => {
    connection.exec("rollback");
    connection.close();
  };
}

/** Switches the database to read-only, as on a standby, or back. */
async function setReadOnly(app: TestApp, value: "on" | "off"): Promise<void> {
  const { database } = app;
  if (database.kind === "sqlite") {
    await sql.raw(`pragma query_only = ${value}`).execute(app.app.context.database.db);
    return;
  }
  const connection = new Client({ connectionString: database.url });
  await connection.connect();
  const name = connection.escapeIdentifier(new URL(database.url).pathname.slice(1));
  await connection.query(
    `set transaction read write; alter database ${name} set default_transaction_read_only = ${value}`,
  );
  // The setting applies to new connections only.
  await connection.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await connection.end();
  const status = value === "on" ? 503 : 200;
  await eventually(
    () => requestJson(app.url, { path: "/readyz" }),
    (response) => response.status === status,
  );
}

test("a send to a read-only database is 500 unavailable with Retry-After", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  await ann.client.notify(HELLO);
  await setReadOnly(app, "on");
  for (const path of ["/notify", "/notify-async", `/notify/${ann.key}`]) {
    for (const headers of [{}, { "idempotency-key": "once" }]) {
      const response = await post(app.url, {
        key: ann.key,
        path: `/api/v1${path}`,
        headers,
        body: HELLO,
      });
      assert.deepEqual([response.status, parseErrorCode(response)], [500, "unavailable"], path);
      assert.equal(response.headers["retry-after"], "5");
      assert.equal(response.headers["x-notification-id"], undefined);
    }
  }
  assert.equal((await requestJson(app.url, { path: "/healthz" })).status, 200);
  assert.equal((await requestJson(app.url, { path: "/readyz" })).status, 503);
  await setReadOnly(app, "off");
  // The server retries an unavailable database once a second.
  await eventually(
    () => requestJson(app.url, { path: "/readyz" }),
    (response) => response.status === 200,
  );
  assert.equal((await ann.client.notifications.list()).items.length, 1);
  assert.equal(phone.requests.length, 1);
  const retryResponse = await ann.client.notify(HELLO, { idempotencyKey: "once" });
  assert.equal(retryResponse.message, "Delivered to 1 of 1 device");
});

test("a send is refused as unavailable while another connection locks the database", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const unlock = await lockDatabase(app);
  const response = await post(app.url, { key, body: HELLO });
  await unlock();
  assert.deepEqual([response.status, parseErrorCode(response)], [500, "unavailable"]);
  assert.deepEqual((await client.notifications.list()).items, []);
  assert.equal((await post(app.url, { key, body: HELLO })).status, 200);
});

test("a draining server fails /readyz and keeps serving", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  app.app.drain();
  assert.equal((await requestJson(app.url, { path: "/readyz" })).status, 503);
  assert.equal((await requestJson(app.url, { path: "/healthz" })).status, 200);
  assert.deepEqual((await client.notify(HELLO)).responses, []);
});

test("an acknowledged notification survives an immediate stop", async (t) => {
  const firstApp = await startApp(t);
  const ann = await signUp(firstApp, "Ann");
  const { phone } = await addDevice(firstApp, ann);
  phone.script({ kind: "answer", status: 503 });
  const { notificationId } = await ann.client.notifyAsync(HELLO);
  await firstApp.app.stop();
  await startApp(t, { dataDir: firstApp.dataDir, push: firstApp.push });
  const { notification } = JSON.parse((await phone.next()).text);
  assert.equal(notification.tag, notificationId);
});

test("an internal error is 500 with a generic message, and is logged once", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void lines.push(line) });
  const app = await startApp(t, { log });
  const { key } = await signUp(app, "Ann");
  await app.app.context.database.db.schema.dropTable("notification").execute();
  const response = await post(app.url, { key, body: HELLO });
  const { message, error } = JSON.parse(response.text);
  assert.deepEqual([response.status, error.code], [500, "internal"]);
  assert.equal(message, "Something went wrong on this server.");
  assert.equal(lines.filter((line) => line.includes(error.requestId)).length, 1);
});

test("every API returns `unavailable` while the database is read-only", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const { key: team } = await client.teams.create({ name: "Ops" });
  await setReadOnly(app, "on");
  const unavailableError = { status: 500, code: "unavailable", retryAfterMs: 5_000 };
  await assert.rejects(client.keys.create({ kind: "account" }), unavailableError);
  await assert.rejects(
    client.management.invite({ team, email: "bob@example.org" }),
    unavailableError,
  );
  const person = { email: "eve@example.org", password: "a long password", name: "Eve" };
  await assert.rejects(app.anonymous.signUp(person), unavailableError);
  await setReadOnly(app, "off");
  assert.equal((await post(app.url, { key, body: HELLO })).status, 200);
});
