import type { Context } from "#context.ts";
import { decideRemoval } from "./member.ts";
import { alterMember, type Asking } from "./store.ts";

export interface RemoveMemberDeps {
  readonly context: Context;
  /** Told after the members of a team may have changed. */
  readonly onTeamChanged: (teamId: string) => void;
}

/**
 * Ends a membership, and with it the invitations that the member made; removing oneself is leaving.
 * Throws `not_found`, `forbidden` or `last_owner`.
 */
export async function removeMember(
  deps: RemoveMemberDeps,
  input: Asking & { readonly memberId: string },
): Promise<void> {
  await alterMember(deps.context, { ...input, decide: decideRemoval });
  deps.onTeamChanged(input.teamId);
}
