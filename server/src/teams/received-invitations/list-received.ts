import type { ReceivedInvitation } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { Recipient } from "./recipient.ts";
import { listReceivedInvitationRows } from "./store.ts";

/** Returns up to `limit` valid invitations to the recipient, oldest first. Returns none for an unverified address. */
export async function listReceivedInvitations(
  context: Context,
  input: { readonly recipient: Recipient; readonly after: string | null; readonly limit: number },
): Promise<readonly ReceivedInvitation[]> {
  const { recipient, after, limit } = input;
  if (!recipient.isEmailVerified) return [];
  const rows = await listReceivedInvitationRows(context, { email: recipient.email, after, limit });
  return rows.map((row) => ({
    id: row.id,
    team: { id: row.teamId, name: row.teamName },
    invitedBy: { name: row.inviterName, email: row.inviterEmail },
    createdAt: formatTimestamp(row.createdAt),
    expiresAt: formatTimestamp(row.expiresAt),
  }));
}
