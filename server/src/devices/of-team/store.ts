import type { Context, DatabaseContext } from "#context.ts";
import { LEFT_SHOWN_MS, REMOVED } from "../left/left-device.ts";

/** A device of a member, as managers of the team see it; the moment is in milliseconds since the epoch. */
export interface TeamDevice {
  readonly id: string;
  readonly name: string;
  readonly memberId: string;
  readonly memberName: string;
  /** When its push service reported it gone; null while it is live. */
  readonly leftAt: number | null;
}

interface TeamDevicesPage {
  readonly teamId: string;
  /** The id of the last device of the page before; null begins the list. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns the devices of a team's present members, and those that left within 90 days, member by member. */
export async function listTeamDevices(
  context: Pick<Context, "database" | "now">,
  { teamId, after, limit }: TeamDevicesPage,
): Promise<readonly TeamDevice[]> {
  const start = after === null ? null : await memberOf(context, { teamId, deviceId: after });
  // The member left the team meanwhile, which ends the list for this reader.
  if (start === null && after !== null) return [];
  let query = devicesOf(context, teamId)
    .select(["device.id", "device.name", "device.retired_at as leftAt"])
    .select(["team_member.id as memberId", "account.name as memberName"])
    .where((is) => {
      const recently = is("device.retired_at", ">=", context.now() - LEFT_SHOWN_MS);
      const left = is.and([recently, is("device.retired_reason", "<>", REMOVED)]);
      return is.or([is("device.retired_at", "is", null), left]);
    })
    .orderBy("team_member.id")
    .orderBy("device.id")
    .limit(limit);
  if (start !== null && after !== null) {
    query = query.where((is) =>
      is.or([
        is("team_member.id", ">", start),
        is.and([is("team_member.id", "=", start), is("device.id", ">", after)]),
      ]),
    );
  }
  return query.execute();
}

async function memberOf(
  context: DatabaseContext,
  { teamId, deviceId }: { readonly teamId: string; readonly deviceId: string },
): Promise<string | null> {
  const row = await devicesOf(context, teamId)
    .select("team_member.id")
    .where("device.id", "=", deviceId)
    .executeTakeFirst();
  return row?.id ?? null;
}

function devicesOf({ database: { db } }: DatabaseContext, teamId: string) {
  return db
    .selectFrom("team_member")
    .innerJoin("account", "account.id", "team_member.account_id")
    .innerJoin("device", "device.account_id", "team_member.account_id")
    .where("team_member.team_id", "=", teamId)
    .where("team_member.left_at", "is", null);
}
