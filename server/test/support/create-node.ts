import type { TestContext } from "node:test";
import { pino } from "pino";
import { Listener } from "#database/listener.ts";
import { openDatabase } from "#database/open.ts";
import { DatabaseClock } from "#nodes/database-clock.ts";
import { SharedNodes } from "#nodes/shared-nodes.ts";
import { readClock } from "#nodes/store.ts";
import type { TestDatabase } from "./database.ts";

const log = pino({ level: "silent" });

/** Creates a node on a database. The caller starts it, and it ends with the test. */
export async function createNode(
  test: TestContext,
  { location, acquire, release }: TestDatabase,
  { id, listenUrl }: { readonly id: string; readonly listenUrl?: string },
) {
  if (location.kind === "sqlite") throw new Error("Several nodes need PostgreSQL.");
  const database = openDatabase(location, log);
  acquire();
  const clock = new DatabaseClock(() => performance.now());
  await clock.read(() => readClock(database));
  const url = listenUrl ?? location.url;
  const nodes = new SharedNodes({
    id,
    role: "all",
    context: { database, log },
    clock,
    subscribe: (events) => new Listener({ url, log, random: () => 0, ...events }),
  });
  test.after(async () => {
    await nodes.stop();
    await database.close();
    await release();
  });
  return { nodes, database, clock };
}
