import { DatabaseSync } from "node:sqlite";
import { createIds } from "#ids.ts";
import type { Site } from "./site.ts";

const BATCH = 20_000;

/** The prefix of the address of every device that `addBulkDevices` adds. */
export const BULK = "Bulk";

/**
 * Adds devices to an account, straight in the file: by the API it would take hours. They are copies of the account's own
 * device, each with an address of its own.
 */
export async function addBulkDevices(
  { place, receiver }: Site,
  { accountId, devices }: { readonly accountId: string; readonly devices: number },
): Promise<void> {
  const newId = createIds(Date.now);
  const file = new DatabaseSync(place.kind === "sqlite" ? place.path : "", { timeout: 10_000 });
  try {
    const like = file.prepare("select * from device where account_id = ? limit 1").get(accountId);
    if (like === undefined) throw new Error("The account has no device to copy.");
    const columns = Object.keys(like);
    const places = columns.map(() => "?").join(", ");
    const insert = file.prepare(`insert into device (${columns.join(", ")}) values (${places})`);
    for (let start = 0; start < devices; start += BATCH) {
      file.exec("begin immediate");
      for (let index = start; index < Math.min(start + BATCH, devices); index += 1) {
        const { endpoint } = receiver.subscription(`${BULK}-${index}`);
        const address = JSON.stringify({ ...JSON.parse(String(like["address"])), endpoint });
        const own = { id: newId(), address, address_hash: `bulk ${index}` };
        insert.run(...Object.values({ ...like, ...own }));
      }
      file.exec("commit");
      // The server writes as well.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    file.close();
  }
}
