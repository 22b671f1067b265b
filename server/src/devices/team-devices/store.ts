import type { Context, DatabaseContext } from "#context.ts";
import { LEFT_DEVICE_LISTED_MS, REMOVED_BY_OWNER } from "../left-devices/left-device.ts";

/** A device of a member, as the team's managers see it. The time is in milliseconds since the epoch. */
export interface TeamDevice {
  readonly id: string;
  readonly name: string;
  readonly memberId: string;
  readonly memberName: string;
  /** When the push service reported the device gone; null while the device is live. */
  readonly leftAt: number | null;
}

interface TeamDevicesInput {
  readonly teamId: string;
  /** The id of the last device on the previous page; null starts the list. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns the devices of a team's current members, including those that left within 90 days, member by member. */
export async function listTeamDevices(
  context: Pick<Context, "database" | "now">,
  { teamId, after, limit }: TeamDevicesInput,
): Promise<readonly TeamDevice[]> {
  const startMemberId =
    after === null ? null : await findOwnerMemberId(context, { teamId, deviceId: after });
  // The owner of the device `after` left the team in the meantime, which ends the list for this reader.
  if (startMemberId === null && after !== null) return [];
  let query = selectTeamDevices(context, teamId)
    .select(["device.id", "device.name", "device.retired_at as leftAt"])
    .select(["team_member.id as memberId", "account.name as memberName"])
    .where((eb) => {
      const isRecent = eb("device.retired_at", ">=", context.now() - LEFT_DEVICE_LISTED_MS);
      const hasLeft = eb.and([isRecent, eb("device.retired_reason", "<>", REMOVED_BY_OWNER)]);
      return eb.or([eb("device.retired_at", "is", null), hasLeft]);
    })
    .orderBy("team_member.id")
    .orderBy("device.id")
    .limit(limit);
  if (startMemberId !== null && after !== null) {
    query = query.where((eb) =>
      eb.or([
        eb("team_member.id", ">", startMemberId),
        eb.and([eb("team_member.id", "=", startMemberId), eb("device.id", ">", after)]),
      ]),
    );
  }
  return query.execute();
}

async function findOwnerMemberId(
  context: DatabaseContext,
  { teamId, deviceId }: { readonly teamId: string; readonly deviceId: string },
): Promise<string | null> {
  const row = await selectTeamDevices(context, teamId)
    .select("team_member.id")
    .where("device.id", "=", deviceId)
    .executeTakeFirst();
  return row?.id ?? null;
}

function selectTeamDevices({ database: { db } }: DatabaseContext, teamId: string) {
  return db
    .selectFrom("team_member")
    .innerJoin("account", "account.id", "team_member.account_id")
    .innerJoin("device", "device.account_id", "team_member.account_id")
    .where("team_member.team_id", "=", teamId)
    .where("team_member.left_at", "is", null);
}
