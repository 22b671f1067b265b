import type { Addressee } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { groupExists } from "#devices/groups/store.ts";
import { findDevice } from "#devices/store/devices.ts";
import { AppError, invalidField } from "#errors.ts";
import { requireManager } from "#teams/members/member.ts";
import { findMembership } from "#teams/store/teams.ts";
import { createNoSuchTeamError } from "#teams/team.ts";

/**
 * Returns the addressee in the field `to` of a body, by default the sender's own account. Throws `invalid_field`
 * for an unknown kind or a missing id.
 */
export function parseAddressee(body: unknown): Addressee {
  const { to } = body as { readonly to?: unknown }; // A draft was read from the body, so it is an object.
  if (to === undefined || to === null) return { kind: "account" };
  if (typeof to !== "object") throw invalidField("to", INVALID_ADDRESSEE_MESSAGE);
  const fields = to as Readonly<Record<string, unknown>>; // The code below checks each field.
  switch (fields["kind"]) {
    case "account":
      return { kind: "account" };
    case "group":
      return { kind: "group", groupId: requireId(fields, "groupId") };
    case "device":
      return { kind: "device", deviceId: requireId(fields, "deviceId") };
    case "team":
      return { kind: "team", teamId: requireId(fields, "teamId") };
    default:
      throw invalidField("to.kind", INVALID_ADDRESSEE_MESSAGE);
  }
}

/**
 * Returns the audience of an addressee that the account may send to. Throws `not_found` if the addressee does not exist,
 * belongs to another account or is a team that the account is not in, and `forbidden` if the addressee is a team that the
 * account does not manage. Plain members cannot create team keys either.
 */
export async function findAddresseeAudience(
  context: Context,
  { accountId, to }: { readonly accountId: string; readonly to: Addressee },
): Promise<Audience> {
  switch (to.kind) {
    case "account":
      return { kind: "account", accountId };
    case "group": {
      const { groupId } = to;
      if (await groupExists(context, { accountId, groupId })) {
        return { kind: "group", accountId, groupId };
      }
      throw new AppError("not_found", "You have no such device group.", { field: "to.groupId" });
    }
    case "device": {
      const { deviceId } = to;
      if ((await findDevice(context, { accountId, deviceId })) !== null) {
        return { kind: "device", accountId, deviceId };
      }
      throw new AppError("not_found", "You have no such device.", { field: "to.deviceId" });
    }
    case "team": {
      const { teamId } = to;
      const team = await findMembership(context, { accountId, teamId });
      if (team === null) throw createNoSuchTeamError();
      requireManager(team.role);
      return { kind: "team", teamId };
    }
  }
}

const INVALID_ADDRESSEE_MESSAGE =
  'to must be {"kind":"account"}, or name a group, a device or a team.';

function requireId(fields: Readonly<Record<string, unknown>>, name: string): string {
  const id = fields[name];
  if (typeof id === "string" && id !== "") return id;
  throw invalidField(`to.${name}`, `to.${name} must be the id of the addressee.`);
}
