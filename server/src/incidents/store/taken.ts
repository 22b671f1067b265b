import { compileOnce } from "#database/compile-once.ts";
import type { Context } from "#context.ts";
import type { NewNotification, TakenCode } from "#delivery/delivery.ts";

const selectState = compileOnce<{ readonly id: string }>((db, { id }) =>
  db.selectFrom("incident").select("state").where("id", "=", id),
);

/**
 * Returns the act that makes the push of an incident superfluous; null if nobody has acted. The news of an act is never
 * superfluous.
 */
export async function findIncidentAct(
  { database }: Context,
  { acting }: NewNotification,
): Promise<TakenCode | null> {
  if (acting === null || acting.incidentId === null) return null;
  if (acting.cause === "acknowledgement" || acting.cause === "resolution") return null;
  const { rows } = await database.read(selectState(database.db, { id: acting.incidentId }));
  const [row] = rows as readonly { readonly state: string }[]; // The column of `selectState`.
  if (row?.state === "resolved") return "resolved";
  // An update of a taken incident replaces its text quietly. One from before the act would sound.
  return row?.state === "acknowledged" && !acting.isQuiet ? "acknowledged" : null;
}
