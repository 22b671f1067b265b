import type { Context } from "#context.ts";
import type { EscalationTarget } from "./policy.ts";
import {
  findDeviceRecipients,
  findGroupRecipients,
  type NamedRecipient,
} from "./store/recipients.ts";

/** The groups and devices of accounts, by the ids of the accounts, groups and devices. */
export type OwnedRecipients = ReadonlyMap<
  string,
  {
    readonly groups: ReadonlyMap<string, NamedRecipient>;
    readonly devices: ReadonlyMap<string, NamedRecipient>;
  }
>;

/** Returns the groups of accounts if one of the targets is a group, and their devices if one of them is a device. */
export async function readOwnedRecipients(
  context: Context,
  accountIds: readonly string[],
  targets: readonly EscalationTarget[],
): Promise<OwnedRecipients> {
  const has = (kind: EscalationTarget["kind"]) => targets.some((target) => target.kind === kind);
  const owned = accountIds.map(async (accountId) => {
    const groups = has("group") ? await findGroupRecipients(context, accountId) : new Map();
    const devices = has("device") ? await findDeviceRecipients(context, accountId) : new Map();
    return [accountId, { groups, devices }] as const;
  });
  return new Map(await Promise.all(owned));
}
