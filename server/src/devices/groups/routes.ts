import { NAME_LENGTH_MAX } from "../device.ts";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { IdParams, PageResponse, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { GROUP_DEVICES_MAX, type DeviceGroup } from "./group.ts";
import { changeGroup } from "./change.ts";
import { createGroup } from "./create.ts";
import { deleteGroup, listGroups } from "./store.ts";

/** The dependencies of the device group routes. */
export interface GroupRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
}

const tags = ["Device groups"];

const GroupNameSchema = VisibleText(NAME_LENGTH_MAX);
const DeviceIdsSchema = Type.Array(Type.String(), {
  maxItems: GROUP_DEVICES_MAX,
  description: "My devices.",
});

/** The schema of a device group as the app API shows it. */
export const GroupSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  deviceIds: Type.Array(Type.String()),
});

/** Registers the operations on the caller's device groups. */
export function registerGroupRoutes(server: Server, deps: GroupRouteDeps): void {
  registerListRoute(server, deps);
  registerCreateRoute(server, deps);
  registerUpdateRoute(server, deps);
  registerRemoveRoute(server, deps);
}

function registerListRoute(server: Server, { context, authenticate }: GroupRouteDeps): void {
  const schema = {
    operationId: "listGroups",
    summary: "List my device groups",
    tags,
    querystring: PageQuery,
    response: {
      200: PageResponse(GroupSchema),
    },
  };
  server.get("/api/app/v1/groups", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { after, limit } = parsePage(request.query);
    const groups = await listGroups(context, { accountId, after, limit: limit + 1 });
    return toPage(groups.map(toGroupResponse), limit);
  });
}

function registerCreateRoute(server: Server, { context, authenticate }: GroupRouteDeps): void {
  const schema = {
    operationId: "createGroup",
    errorStatuses: [409],
    summary: "Create a device group",
    tags,
    body: Type.Object({ name: GroupNameSchema, deviceIds: DeviceIdsSchema }),
    response: { 201: GroupSchema },
  };
  server.post("/api/app/v1/groups", { schema }, async (request, reply) => {
    const { accountId } = await authenticate(request);
    const { name, deviceIds } = request.body;
    const group = await createGroup(context, { accountId, name, deviceIds });
    return reply.code(201).send(toGroupResponse(group));
  });
}

function registerUpdateRoute(server: Server, { context, authenticate }: GroupRouteDeps): void {
  const schema = {
    operationId: "updateGroup",
    summary: "Rename a device group, or replace its devices",
    tags,
    params: IdParams,
    body: Type.Object({
      name: Type.Optional(GroupNameSchema),
      deviceIds: Type.Optional(DeviceIdsSchema),
    }),
    response: { 200: GroupSchema },
  };
  server.patch("/api/app/v1/groups/:id", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const groupId = request.params.id;
    const { name = null, deviceIds = null } = request.body;
    const group = await changeGroup(context, { accountId, groupId, name, deviceIds });
    if (group === null) throw createNoSuchGroupError();
    return toGroupResponse(group);
  });
}

function registerRemoveRoute(server: Server, { context, authenticate }: GroupRouteDeps): void {
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
    if (!isDeleted) throw createNoSuchGroupError();
    return reply.code(204).send(null);
  });
}

/** Returns the same error for another account's group as for a missing one. */
function createNoSuchGroupError(): AppError {
  return new AppError("not_found", "You have no such device group.");
}

function toGroupResponse({ id, name, deviceIds }: DeviceGroup) {
  return { id, name, deviceIds: [...deviceIds] };
}
