import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { IdParams } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { createActionKey, hashActionKey } from "./action-key.ts";
import { replaceActionKey } from "./store.ts";

/** The schema of a device's action key in a response. */
export const ActionKeySchema = Type.String({
  description:
    "The device acts with it for its owner: `Authorization: Device <id>.<actionKey>`. Shown only once.",
});

/** Registers the operation that renews the action key of a device. */
export function registerActionKeyRoute(
  server: Server,
  { context, authenticate }: { readonly context: Context; readonly authenticate: Authenticate },
): void {
  const schema = {
    operationId: "renewActionKey",
    summary: "Renew the action key of a device",
    description:
      "Only for the app on that device, if it has lost its key. The device's previous key stops working at once.",
    tags: ["Devices"],
    params: IdParams,
    response: { 200: Type.Object({ actionKey: ActionKeySchema }) },
  };
  server.post("/api/app/v1/devices/:id/action-key", { schema }, async (request) => {
    const { accountId, actor } = await authenticate(request);
    const actionKey = createActionKey();
    const device = { accountId, deviceId: request.params.id };
    const actionKeyHash = hashActionKey(actionKey);
    if (!(await replaceActionKey(context, { ...device, actionKeyHash, actor }))) {
      throw new AppError("not_found", "You have no such device.");
    }
    return { actionKey };
  });
}
