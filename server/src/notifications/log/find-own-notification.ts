import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { AppError } from "#errors.ts";
import { findSentNotification } from "./store.ts";

/** The dependencies of all routes of the delivery log. */
export interface LogDeps {
  readonly context: Context;
  /** Returns the teams that an account manages. The account may see the deliveries of these teams. */
  readonly listManagedTeamIds: (accountId: string) => Promise<readonly string[]>;
}

/** Returns the ids of the audiences whose deliveries an account may see: its own, and those of the teams it manages. */
export async function findAudienceIds(
  { listManagedTeamIds }: LogDeps,
  accountId: string,
): Promise<readonly string[]> {
  return [accountId, ...(await listManagedTeamIds(accountId))];
}

/** Returns a notification whose deliveries the account may see; throws `not_found` for any other id. */
export async function findOwnNotification(
  deps: LogDeps,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<NewNotification> {
  const audienceIds = await findAudienceIds(deps, accountId);
  const notification = await findSentNotification(deps.context, { id, audienceIds });
  if (notification === null) throw new AppError("not_found", "There is no such notification.");
  return notification;
}
