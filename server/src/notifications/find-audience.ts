import type { Audience } from "#devices/audiences/audience.ts";
import { groupExists } from "#devices/groups/store.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";

/** The part of a principal that determines the audience. */
export type Sender =
  | { readonly kind: "account"; readonly accountId: string }
  | { readonly kind: "team"; readonly teamId: string };

/** Returns the whole audience of a key: the devices of its account, or of every member of its team. */
export function toSenderAudience(sender: Sender): Audience {
  return sender.kind === "team"
    ? { kind: "team", teamId: sender.teamId }
    : { kind: "account", accountId: sender.accountId };
}

/**
 * Returns the audience of a device group of the key's account. Throws `wrong_key_kind` if the key is a team key, and
 * the same `unknown_group` whether the group does not exist or belongs to another account.
 */
export async function findGroupAudience(
  context: Context,
  { sender, groupId }: { sender: Sender; groupId: string },
): Promise<Audience> {
  if (sender.kind === "team") {
    const message = "Device groups belong to accounts; use an account API key.";
    throw new AppError("wrong_key_kind", message);
  }
  const { accountId } = sender;
  if (!(await groupExists(context, { accountId, groupId }))) {
    throw new AppError("unknown_group", "There is no such device group in this account.");
  }
  return { kind: "group", accountId, groupId };
}
