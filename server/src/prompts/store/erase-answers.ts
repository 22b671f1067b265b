import type { Context } from "#context.ts";

/** Stands for an answer in the person's own words once the account has ended. */
const ERASED_TEXT = "(erased with the account)";

/**
 * Erases what an account that ends answered in its own words, in the prompts of its teams. The choices stay, without a
 * name. Idempotent.
 */
export async function eraseAnswers({ database }: Context, accountId: string): Promise<void> {
  const { db } = database;
  await database.atomically([
    // A text ends its prompt, so that each prompt has one at most.
    db
      .updateTable("prompt")
      .set({ answer_text: ERASED_TEXT })
      .where("answer_text", "is not", null)
      .where(
        "id",
        "in",
        db
          .selectFrom("prompt_answer")
          .select("prompt_id")
          .where("account_id", "=", accountId)
          .where("answer_text", "is not", null),
      ),
    db
      .updateTable("prompt_answer")
      .set({ answer_text: ERASED_TEXT })
      .where("account_id", "=", accountId)
      .where("answer_text", "is not", null),
  ]);
}
