import type { TestContext } from "node:test";
import { pino } from "pino";
import { OPERATOR } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { migrate } from "#database/migration.ts";
import { hashActionKey } from "#devices/action-keys/action-key.ts";
import type { Device } from "#devices/device.ts";
import {
  insertDevice as insertDeviceWithLimit,
  type InsertDeviceOptions,
} from "#devices/store/devices.ts";
import { createServer, type Server } from "#http/server.ts";
import { createIds } from "#ids.ts";
import { createRowSeal } from "#secrets/row-seal.ts";
import { openTestDatabase } from "./database.ts";
import { TestClock } from "./test-clock.ts";

/** The context of a room under test, with its clock. A room is a feature of the server, with a folder of its own. */
export type RoomContext = Context & { readonly clock: TestClock };

/** Returns a context with an empty, migrated database and its own clock. */
export async function createRoomContext(test: TestContext): Promise<RoomContext> {
  const database = await openTestDatabase(test);
  await migrate(database);
  const clock = new TestClock();
  return {
    database,
    clock,
    now: clock.now,
    elapsed: clock.elapsed,
    newId: createIds(clock.now),
    log: pino({ level: "silent" }),
    seal: createRowSeal({ secret: "a secret of this test, long enough to seal", isSealing: true }),
  };
}

/** Returns a context whose clock and ids stay at one time. */
export function createContextAt(context: Context, at: number): Context {
  return { ...context, now: () => at, newId: createIds(() => at) };
}

/** Starts a server with the routes that `register` adds. Returns the base URL. The server stops when the test ends. */
export async function startTestServer(
  test: TestContext,
  { log, newId, trustProxy = false }: Context & { readonly trustProxy?: boolean },
  register: (server: Server) => void,
): Promise<string> {
  const server = createServer({ log, newId, trustProxy });
  register(server);
  test.after(() => server.close());
  return server.listen({ host: "127.0.0.1", port: 0 });
}

/** Inserts an account without a password. Returns its id. */
export async function insertAccount(
  { database, newId, now }: Context,
  { email = "ann@example.org", name = "Ann", isAdmin = false, isVerified = true } = {},
): Promise<string> {
  const id = newId();
  const createdAt = new Date(now()).toISOString();
  await database.db
    .insertInto("account")
    .values({
      id,
      name,
      email,
      email_verified: isVerified ? 1 : 0,
      image: null,
      is_admin: isAdmin ? 1 : 0,
      created_at: createdAt,
      updated_at: createdAt,
    })
    .execute();
  return id;
}

/** Adds a device to an account, without the device limit. Returns it, or null if the account has it already. */
export async function insertDevice(
  context: Context,
  device: Omit<Parameters<typeof insertDeviceWithLimit>[1], keyof InsertDeviceOptions>,
): Promise<Device | null> {
  const added = await insertDeviceWithLimit(context, {
    ...device,
    actor: OPERATOR,
    max: Number.MAX_SAFE_INTEGER,
    noticeUrl: null,
    actionKeyHash: hashActionKey(context.newId()),
  });
  return typeof added === "string" ? null : added;
}
