import { requireDirectSession } from "#accounts/other-accounts/direct-session.ts";
import type { Context } from "#context.ts";
import { loadDeviceResponses } from "#devices/device-response.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { DeviceSchema } from "#devices/routes.ts";
import { listDevices, type ChangedDevice } from "#devices/store/devices.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { IdParams } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";

/** The dependencies of the device routes for administrators. */
export interface AccountDeviceRouteDeps {
  readonly context: Context;
  readonly authenticateAdministrator: Authenticate;
  /** Called after a device was removed, to update the open pages of its owner. */
  readonly onDeviceChanged: (device: ChangedDevice) => void;
}

const ACCOUNT_DEVICES_PATH = "/api/app/v1/admin/accounts/:id/devices";
const tags = ["Administration"];

/** Registers the operations of administrators on the devices of other accounts. */
export function registerAccountDeviceRoutes(server: Server, deps: AccountDeviceRouteDeps): void {
  const listSchema = {
    operationId: "listAccountDevices",
    tags,
    summary: "List the devices of an account, oldest first; never their push addresses",
    params: IdParams,
    response: { 200: Type.Object({ items: Type.Array(DeviceSchema) }) },
  };
  server.get(ACCOUNT_DEVICES_PATH, { schema: listSchema }, async (request) => {
    await deps.authenticateAdministrator(request);
    const { id: accountId } = request.params;
    const devices = await listDevices(deps.context, { accountId, after: null, limit: DEVICES_MAX });
    return { items: await loadDeviceResponses(deps.context, devices) };
  });
  registerRemoveRoute(server, deps);
}

function registerRemoveRoute(server: Server, deps: AccountDeviceRouteDeps): void {
  const schema = {
    operationId: "removeAccountDevice",
    tags,
    summary: "Remove a device of an account, so that it gets no more notifications",
    description:
      "Needs a session that was opened by signing in: access tokens, and browsers that another one added, are refused.",
    params: Type.Object({ id: Type.String(), deviceId: Type.String() }),
    response: { 204: Type.Null() },
  };
  server.delete(`${ACCOUNT_DEVICES_PATH}/:deviceId`, { schema }, async (request, reply) => {
    const administrator = await deps.authenticateAdministrator(request);
    await requireDirectSession(deps.context, administrator);
    const { actor } = administrator;
    const { id: accountId, deviceId } = request.params;
    if (!(await removeDevice(deps.context, { accountId, deviceId, actor }))) {
      throw new AppError("not_found", "This account has no such device.");
    }
    deps.onDeviceChanged({ accountId, deviceId });
    return reply.code(204).send(null);
  });
}
