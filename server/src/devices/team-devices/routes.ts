import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { toPage, PageQuery, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { MEMBER_ID_DESCRIPTION } from "#teams/schemas.ts";
import { requireManager } from "#teams/members/member.ts";
import { findMembership } from "#teams/store/teams.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { listTeamDevices, type TeamDevice } from "./store.ts";

/** The schema of a device's owner, as team members see each other. */
export const DeviceOwnerSchema = Type.Object({
  accountId: Type.String({ description: MEMBER_ID_DESCRIPTION }),
  name: Type.String(),
});

const TeamDeviceSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  owner: DeviceOwnerSchema,
  leftAt: Nullable(Timestamp),
});

/** Registers `/teams/{id}/devices`, where managers choose the devices whose deliveries they view. */
export function registerTeamDeviceRoutes(
  server: Server,
  { context, authenticate }: { readonly context: Context; readonly authenticate: Authenticate },
): void {
  const schema = {
    operationId: "listTeamDevices",
    errorStatuses: [403],
    summary: "List the devices of a team's members; for owners and admins",
    description:
      "Includes devices that stopped being registered in the last 90 days; these have `leftAt`.",
    tags: ["Teams"],
    params: IdParams,
    querystring: PageQuery,
    response: { 200: PageResponse(TeamDeviceSchema) },
  };
  server.get("/api/app/v1/teams/:id/devices", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const teamId = request.params.id;
    const team = await findMembership(context, { accountId, teamId });
    requireManager(team?.role ?? null);
    const { after, limit } = parsePage(request.query);
    const devices = await listTeamDevices(context, { teamId, after, limit: limit + 1 });
    return toPage(devices.map(toTeamDeviceResponse), limit);
  });
}

function toTeamDeviceResponse({ id, name, memberId, memberName, leftAt }: TeamDevice) {
  const owner = { accountId: memberId, name: memberName };
  return { id, name, owner, leftAt: leftAt === null ? null : formatTimestamp(leftAt) };
}
