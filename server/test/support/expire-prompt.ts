import type { Context } from "../../src/context.ts";

/** Makes a prompt expire now. The server notices the expiry within half a minute. */
export async function expirePrompt(
  { database: { db }, now }: Context,
  promptId: string,
): Promise<void> {
  const at = now();
  await db
    .updateTable("timer")
    .set({ run_at: at, due_at: at })
    .where("kind", "=", "prompt_expire")
    .where("subject_id", "=", promptId)
    .execute();
}
