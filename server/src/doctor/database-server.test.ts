import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import test from "node:test";
import {
  createDatabase,
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  ON_POSTGRES,
} from "../../test/support/database.ts";
import { startApp } from "../../test/support/app.ts";
import { explainStartFailure } from "#process/start-failure.ts";
import { openPostgres } from "#database/postgres.ts";
import { migrate } from "#database/migration.ts";
import { checkDatabaseServer } from "./database-server.ts";

const SECRET = "tocsin-password";
const realNow = () => performance.timeOrigin + performance.now();

async function createDatabaseUrl(t: test.TestContext): Promise<URL> {
  const { location, acquire, release } = await createDatabase(t);
  assert.ok(location.kind === "postgres");
  acquire();
  t.after(release);
  return new URL(location.url);
}

test(
  "a database in use is up to date, and pending and later migrations are reported",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const { app, database } = await startApp(t);
    assert.ok(database.kind === "postgres");
    const verdict = await checkDatabaseServer(database.url, realNow);
    assert.equal(verdict.status, "ok");
    assert.match(
      verdict.message,
      /^PostgreSQL \d\d at \S+ answers; \S+ is up to date, and the clocks/,
    );
    const { db } = app.context.database;
    const migrationsDb = db.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
    await migrationsDb.deleteFrom("kysely_migration").where("name", "=", "0006-mail").execute();
    assert.match((await checkDatabaseServer(database.url, realNow)).message, /0006-mail/);
    await migrationsDb
      .insertInto("kysely_migration")
      .values({ name: "9999-a", timestamp: "" })
      .execute();
    assert.match((await checkDatabaseServer(database.url, realNow)).message, /later version/);
  },
);

test(
  "a large offset from the database's clock is a warning",
  ON_POSTGRES_WITH_CURRENT_SCHEMA,
  async (t) => {
    const url = await createDatabaseUrl(t);
    const verdict = await checkDatabaseServer(url.href, () => realNow() + 3_600_000);
    assert.equal(verdict.status, "warn");
    assert.match(verdict.message, /is 3600 s from this machine's/);
  },
);

test(
  "doctor and a server start explain a PostgreSQL failure alike, without the password",
  ON_POSTGRES,
  async (t) => {
    const validUrl = await createDatabaseUrl(t);
    const changeUrl = (
      overrides: Partial<Pick<URL, "password" | "port" | "pathname" | "hostname">>,
    ) => Object.assign(new URL(validUrl), overrides).href;
    const silentServer = createServer().listen(0, "127.0.0.1");
    await once(silentServer, "listening");
    const address = silentServer.address();
    assert.ok(address !== null && typeof address === "object");
    t.after(() => silentServer.close());
    const closedServer = createServer().listen(0, "127.0.0.1");
    await once(closedServer, "listening");
    const closedAddress = closedServer.address();
    assert.ok(closedAddress !== null && typeof closedAddress === "object");
    closedServer.close();
    for (const [url, expected] of [
      [changeUrl({ password: SECRET }), /refuses the user or the password/],
      [changeUrl({ pathname: "/nothing" }), /has no database nothing/],
      [changeUrl({ port: String(closedAddress.port), password: SECRET }), /does not answer at/],
      [changeUrl({ port: String(address.port), password: SECRET }), /does not answer at/],
      [changeUrl({ hostname: "db.invalid", password: SECRET }), /No name server knows/],
    ] as const) {
      const verdict = await checkDatabaseServer(url, realNow);
      assert.deepEqual(
        [verdict.status, expected.test(verdict.message)],
        ["fail", true],
        verdict.message,
      );
      assert.match(verdict.mend ?? "", /TOCSIN_DATABASE_URL/);
      const database = openPostgres({ url });
      const error = await migrate(database).catch((thrown: unknown) => thrown);
      await database.close();
      const settings = {
        host: "127.0.0.1",
        port: 80,
        dataDir: "/srv",
        database: { kind: "postgres", url },
      } as const;
      const reason = explainStartFailure(error, settings) ?? "";
      assert.match(reason, expected);
      assert.ok(!`${reason}${JSON.stringify(verdict)}`.includes(SECRET));
    }
  },
);
