import { compileOnce } from "#database/compile-once.ts";
import type { Context } from "#context.ts";
import type { Cause } from "@tocsin/sdk";
import { getIncidentId, type NewNotification, type TakenCode } from "#delivery/delivery.ts";

const selectState = compileOnce<{ readonly id: string }>((db, { id }) =>
  db.selectFrom("incident").select("state").where("id", "=", id),
);

/** The causes of pushes that tell of an act. */
const NEWS: ReadonlySet<Cause> = new Set(["acknowledgement", "resolution", "answer"]);

/**
 * Returns the act that makes the push of an incident superfluous; null if nobody has acted. The news of an act is never
 * superfluous.
 */
export async function findIncidentAct(
  { database }: Context,
  { acting }: NewNotification,
): Promise<TakenCode | null> {
  const id = getIncidentId(acting);
  if (acting === null || id === null || NEWS.has(acting.cause)) return null;
  const { rows } = await database.read(selectState(database.db, { id }));
  const [row] = rows as readonly { readonly state: string }[]; // The column of `selectState`.
  if (row?.state === "resolved") return acting.promptId === null ? "resolved" : "answered";
  // An update of a taken incident replaces its text quietly. One from before the act would sound.
  return row?.state === "acknowledged" && !acting.isQuiet ? "acknowledged" : null;
}
