import type { Context } from "../../src/context.ts";

/** Ends the time of a prompt now. The server notices it within half a minute. */
export async function endTime({ database: { db }, now }: Context, promptId: string): Promise<void> {
  const at = now();
  await db
    .updateTable("timer")
    .set({ run_at: at, due_at: at })
    .where("kind", "=", "prompt_expire")
    .where("subject_id", "=", promptId)
    .execute();
}
