import { PLATFORMS, PROVIDERS } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { listLeftDevices } from "./store/left-devices.ts";

/** The list is short and has no pages; the delivery log has older devices. */
const LISTED_DEVICES_MAX = 100;

const LeftDeviceSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  platform: Type.Enum(PLATFORMS),
  provider: Type.Enum(PROVIDERS),
  code: Type.String({
    description: "The reason as a code of the delivery log, such as `device_gone`.",
  }),
  leftAt: Timestamp,
});

/** Registers `/devices/left`. */
export function registerLeftDeviceRoutes(
  server: Server,
  { context, authenticate }: { readonly context: Context; readonly authenticate: Authenticate },
): void {
  const schema = {
    operationId: "listLeftDevices",
    summary: "List my devices that stopped being registered in the last 90 days, newest first",
    description: `At most ${LISTED_DEVICES_MAX}. A device that came back under the same push address is not among them.`,
    tags: ["Devices"],
    response: { 200: Type.Object({ items: Type.Array(LeftDeviceSchema) }) },
  };
  server.get("/api/app/v1/devices/left", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const devices = await listLeftDevices(context, { accountId, limit: LISTED_DEVICES_MAX });
    return {
      items: devices.map(({ id, name, platform, provider, code, leftAt }) => {
        const at = formatTimestamp(leftAt);
        return { id, name, platform, provider, code, leftAt: at };
      }),
    };
  });
}
