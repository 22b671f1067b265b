import type { TestContext } from "node:test";
import { pino } from "pino";
import type { Context } from "#context.ts";
import { migrate } from "#database/migration.ts";
import { createServer, type Server } from "#http/server.ts";
import { createIds } from "#ids.ts";
import { openTestDatabase } from "./database.ts";

/** A clock that moves only when a test says so. */
export class TestClock {
  #now: number;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** An empty, migrated database in a real file, with a clock of the test's own. */
export async function testContext(test: TestContext): Promise<Context & { clock: TestClock }> {
  const database = await openTestDatabase(test);
  await migrate(database);
  const clock = new TestClock();
  return {
    database,
    clock,
    now: clock.now,
    newId: createIds(clock.now),
    log: pino({ level: "silent" }),
  };
}

/** A listening server with the routes that `register` adds; answers its base URL. */
export async function listen(
  test: TestContext,
  { log, newId, trustProxy = false }: Context & { readonly trustProxy?: boolean },
  register: (server: Server) => void,
): Promise<string> {
  const server = createServer({ log, newId, trustProxy });
  register(server);
  test.after(() => server.close());
  return server.listen({ host: "127.0.0.1", port: 0 });
}

/** Inserts an account as the sign-in library would; answers its id. */
export async function insertAccount(
  { database, newId, now }: Context,
  { email = "ann@example.org", name = "Ann", isAdmin = false, isVerified = true } = {},
): Promise<string> {
  const id = newId();
  const moment = new Date(now()).toISOString();
  await database.db
    .insertInto("account")
    .values({
      id,
      name,
      email,
      email_verified: isVerified ? 1 : 0,
      image: null,
      is_admin: isAdmin ? 1 : 0,
      created_at: moment,
      updated_at: moment,
    })
    .execute();
  return id;
}
