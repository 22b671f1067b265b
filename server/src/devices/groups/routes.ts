import { NAME_LENGTH_MAX } from "../device.ts";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, pageOf, parsePage } from "#http/page.ts";
import { IdParams, PageAnswer, Words } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { GROUP_DEVICES_MAX, type DeviceGroup } from "./group.ts";
import { changeGroup, createGroup } from "./save.ts";
import { deleteGroup, listGroups } from "./store.ts";

export interface GroupDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
}

const tags = ["Device groups"];

const GroupName = Words(NAME_LENGTH_MAX);
const DeviceIds = Type.Array(Type.String(), {
  maxItems: GROUP_DEVICES_MAX,
  description: "My devices.",
});
/** A device group as the app API shows it. */
export const GroupSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  deviceIds: Type.Array(Type.String()),
});

/** Registers the operations on the caller's device groups. */
export function registerGroupRoutes(server: Server, deps: GroupDeps): void {
  listRoute(server, deps);
  createRoute(server, deps);
  updateRoute(server, deps);
  removeRoute(server, deps);
}

function listRoute(server: Server, { context, authenticate }: GroupDeps): void {
  const schema = {
    operationId: "listGroups",
    summary: "List my device groups",
    tags,
    querystring: PageQuery,
    response: {
      200: PageAnswer(GroupSchema),
    },
  };
  server.get("/api/app/v1/groups", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { after, limit } = parsePage(request.query);
    const groups = await listGroups(context, { accountId, after, limit: limit + 1 });
    return pageOf(groups.map(groupAnswer), limit);
  });
}

function createRoute(server: Server, { context, authenticate }: GroupDeps): void {
  const schema = {
    operationId: "createGroup",
    refusals: [409],
    summary: "Create a device group",
    tags,
    body: Type.Object({ name: GroupName, deviceIds: DeviceIds }),
    response: { 201: GroupSchema },
  };
  server.post("/api/app/v1/groups", { schema }, async (request, reply) => {
    const { accountId } = await authenticate(request);
    const { name, deviceIds } = request.body;
    const group = await createGroup(context, { accountId, name, deviceIds });
    return reply.code(201).send(groupAnswer(group));
  });
}

function updateRoute(server: Server, { context, authenticate }: GroupDeps): void {
  const schema = {
    operationId: "updateGroup",
    summary: "Rename a device group, or replace its devices",
    tags,
    params: IdParams,
    body: Type.Object({ name: Type.Optional(GroupName), deviceIds: Type.Optional(DeviceIds) }),
    response: { 200: GroupSchema },
  };
  server.patch("/api/app/v1/groups/:id", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const groupId = request.params.id;
    const { name = null, deviceIds = null } = request.body;
    const group = await changeGroup(context, { accountId, groupId, name, deviceIds });
    if (group === null) throw noSuchGroup();
    return groupAnswer(group);
  });
}

function removeRoute(server: Server, { context, authenticate }: GroupDeps): void {
  const schema = {
    operationId: "removeGroup",
    summary: "Delete a device group; its devices stay",
    tags,
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/groups/:id", { schema }, async (request, reply) => {
    const { accountId } = await authenticate(request);
    const isDeleted = await deleteGroup(context, { accountId, groupId: request.params.id });
    if (!isDeleted) throw noSuchGroup();
    return reply.code(204).send(null);
  });
}

/** Returns the same error for another account's group as for a missing one. */
function noSuchGroup(): AppError {
  return new AppError("not_found", "You have no such device group.");
}

function groupAnswer({ id, name, deviceIds }: DeviceGroup) {
  return { id, name, deviceIds: [...deviceIds] };
}
