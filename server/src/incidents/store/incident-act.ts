import { compileOnce } from "#database/compile-once.ts";
import type { Context } from "#context.ts";
import type { Cause } from "@tocsin/sdk";
import { getIncidentId, type NewNotification, type ActCode } from "#delivery/delivery.ts";

const selectState = compileOnce<{ readonly id: string }>((db, { id }) =>
  db.selectFrom("incident").select(["state", "closed_by"]).where("id", "=", id),
);

/** The columns of `selectState`. */
interface ClosingRow {
  readonly state: string;
  /** The account that closed the incident; null if nobody did, as at the end of a question. */
  readonly closed_by: string | null;
}

/** The causes of pushes that report an act. */
const ACT_NOTICE_CAUSES: ReadonlySet<Cause> = new Set(["acknowledgement", "resolution", "answer"]);

/**
 * Returns the act that makes a push of an incident unnecessary; null if there is none. A push that reports an act is
 * always necessary.
 */
export async function findIncidentAct(
  { database }: Context,
  { interaction }: NewNotification,
): Promise<ActCode | null> {
  const id = getIncidentId(interaction);
  if (interaction === null || id === null || ACT_NOTICE_CAUSES.has(interaction.cause)) return null;
  const { rows } = await database.read(selectState(database.db, { id }));
  const [row] = rows as readonly ClosingRow[];
  if (row?.state === "resolved" && interaction.promptId !== null)
    return row.closed_by === null ? "question_ended" : "answered";
  if (row?.state === "resolved") return "resolved";
  // A push that was made after the acknowledgement is quiet, and may still replace the text. An earlier one would
  // sound.
  return row?.state === "acknowledged" && !interaction.isQuiet ? "acknowledged" : null;
}
