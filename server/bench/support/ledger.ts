import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "#database/database.ts";
import { decodeResults } from "#delivery/store/tuples.ts";

const POLL_INTERVAL_MS = 20;

/** Resolves once no delivery of a server is unfinished. */
export async function waitForResults({ db }: Database): Promise<void> {
  const query = db.selectFrom("send_job").select("id").limit(1).compile();
  while ((await db.executeQuery(query)).rows.length > 0) await wait(POLL_INTERVAL_MS);
}

/** Throws unless this many apps have answered the message of a notification. */
export async function requireAnswers(
  { db }: Database,
  { notificationId, count }: { readonly notificationId: string; readonly count: number },
): Promise<void> {
  const pages = await db
    .selectFrom("delivery_page")
    .select("results")
    .where("notification_id", "=", notificationId)
    .execute();
  const results = pages.flatMap((page) => decodeResults(page.results));
  const answers = results.filter(
    ({ state, detail }) => state === "accepted" && detail === "answered",
  );
  if (answers.length !== count || results.length !== count)
    throw new Error(`${answers.length} of ${results.length} results are answers.`);
}
