import type { QueryClient } from "@tanstack/react-query";
import type { AppCredentials, Platform } from "@tocsin/sdk";
import { client } from "../client.ts";
import { applyDevice } from "../devices/device-queries.ts";
import { ownRegistrations } from "../devices/own-registrations.ts";

/** Adds the ntfy app as a device, and returns the values that a person enters in the app. */
export async function addNtfyApp(
  queryClient: QueryClient,
  input: { readonly name: string; readonly platform: Platform },
): Promise<AppCredentials> {
  const { credentials } = await ownRegistrations.run(async () => {
    const added = await client.devices.addApp({ client: "ntfy", ...input });
    return { id: added.device.id, credentials: added };
  });
  applyDevice(queryClient, credentials.device);
  return credentials;
}
