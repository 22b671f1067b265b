import type { Context } from "#context.ts";

/** Replaces the text of an answer of a deleted account. */
const ERASED_TEXT = "(erased with the account)";

/** Erases the texts that an account gave as answers, for its deletion. The choices stay, without a name. Idempotent. */
export async function eraseAnswers({ database }: Context, accountId: string): Promise<void> {
  const { db } = database;
  await database.atomically([
    // A text ends its prompt, so each prompt has at most one.
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
