import type { Context } from "#context.ts";
import { findSuspendedAccounts } from "#teams/store/suspended-accounts.ts";
import { findCurrentMembers } from "#teams/store/teams.ts";
import type { Prompt } from "./prompt.ts";

const ROLES = ["owner", "admin", "member"] as const;

/**
 * Returns a function that says whether an account is still asked. Only answers of such accounts count: not after the
 * person has left the team, and not while the account is suspended.
 */
export async function findAsked(
  context: Context,
  { incident: { owner }, answers }: Pick<Prompt, "incident" | "answers">,
): Promise<(accountId: string) => boolean> {
  const { teamId } = owner;
  const accountIds = answers.map(({ accountId }) => accountId);
  if (teamId === null || accountIds.length === 0) return () => true;
  const [memberIds, suspendedIds] = await Promise.all([
    findCurrentMembers(context, { teamId, accountIds, roles: ROLES }),
    findSuspendedAccounts(context, accountIds),
  ]);
  const askedIds = new Set(memberIds).difference(suspendedIds);
  // The author of a new answer is asked, but may have no earlier answer.
  return (accountId) => askedIds.has(accountId) || !accountIds.includes(accountId);
}
