import type { Member, TeamRole } from "@tocsin/sdk";
import { withDevices, type ShowTeamDeps } from "../show-team.ts";
import { findMember } from "../store.ts";
import { decideRoleChange, memberNotFound } from "./member.ts";
import { alterMember, type Asking } from "./store.ts";

/**
 * Gives a member another role; who can no longer invite loses the invitations they made.
 * Throws `not_found`, `forbidden` or `last_owner`.
 */
export async function changeRole(
  deps: ShowTeamDeps,
  input: Asking & { readonly memberId: string; readonly role: TeamRole },
): Promise<Member> {
  const { role, ...asking } = input;
  await alterMember(deps.context, {
    ...asking,
    decide: (standing) => decideRoleChange(standing, role),
  });
  const { teamId, memberId: accountId } = input;
  const member = await findMember(deps.context, { teamId, accountId });
  const [shown] = member === null ? [] : await withDevices(deps, [member]);
  // They may have left since.
  if (shown === undefined) throw memberNotFound();
  return shown;
}
