import { DatabaseSync } from "node:sqlite";
import { createIds } from "#ids.ts";
import type { Site } from "./site.ts";

const BATCH_SIZE = 20_000;

/** Prefix of the subscription name of every device that `addBulkDevices` inserts. */
export const BULK_PREFIX = "Bulk";

/**
 * Inserts devices of an account directly into SQLite's file, as the API would take hours. Each is a copy of the
 * account's first device with a different endpoint.
 */
export async function addBulkDevices(
  { location, pushService }: Site,
  { accountId, devices }: { readonly accountId: string; readonly devices: number },
): Promise<void> {
  const newId = createIds(Date.now);
  const file = new DatabaseSync(location.kind === "sqlite" ? location.path : "", {
    timeout: 10_000,
  });
  try {
    const template = file
      .prepare("select * from device where account_id = ? limit 1")
      .get(accountId);
    if (template === undefined) throw new Error("The account has no device to copy.");
    const columns = Object.keys(template);
    const placeholders = columns.map(() => "?").join(", ");
    const insert = file.prepare(
      `insert into device (${columns.join(", ")}) values (${placeholders})`,
    );
    for (let start = 0; start < devices; start += BATCH_SIZE) {
      file.exec("begin immediate");
      for (let index = start; index < Math.min(start + BATCH_SIZE, devices); index += 1) {
        const { endpoint } = pushService.createSubscription(`${BULK_PREFIX}-${index}`);
        const address = JSON.stringify({ ...JSON.parse(String(template["address"])), endpoint });
        const overrides = { id: newId(), address, address_hash: `bulk ${index}` };
        insert.run(...Object.values({ ...template, ...overrides }));
      }
      file.exec("commit");
      // Yields, so that the server can write in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    file.close();
  }
}
