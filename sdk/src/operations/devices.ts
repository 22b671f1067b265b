import type {
  Act,
  ActResponse,
  DeviceChange,
  DeviceCredential,
  NewDevice,
  NewDeviceApp,
} from "../device.ts";
import type { PageQuery } from "../page.ts";
import { fetchJson } from "../http.ts";
import type { CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the account's devices. */
export function createDeviceOperations(app: AppApi) {
  return {
    /** Returns the devices of the account, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "devices.list", path: ["devices"], query }),

    /**
     * Adds a device, or updates the device with this push address; safe to repeat. Only the response for a new device
     * contains its action key.
     */
    create: (input: NewDevice, options: CallOptions = {}) =>
      app.post({ ...options, operation: "devices.create", path: ["devices"], body: input }),

    /** Adds an app that speaks the API of ntfy, and returns what a person enters in it. */
    addApp: (input: NewDeviceApp, options: CallOptions = {}) =>
      app.post({ ...options, operation: "devices.addApp", path: ["apps"], body: input }),

    /** Renames, pauses or resumes a device. */
    update: (id: string, input: DeviceChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "devices.update", path: ["devices", id], body: input }),

    /** Removes a device. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "devices.remove", path: ["devices", id] }),

    /** Returns the devices whose registration ended in the last 90 days, newest first. */
    left: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "devices.left", path: ["devices", "left"] }),

    /** Sends a test notification to one device and returns the result. */
    test: (id: string, options: CallOptions = {}) =>
      app.post({ ...options, operation: "devices.test", path: ["devices", id, "test"] }),

    /** Returns a new action key for a device. Its previous key stops working at once. */
    renewActionKey: (id: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "devices.renewActionKey",
        path: ["devices", id, "action-key"],
      }),
  };
}

/** Returns the operation with which a device acts for its account. */
export function createActOperation(server: Server) {
  return {
    /** Acts for the account of a device, with the device's action key instead of a session or token; safe to repeat. */
    async act(
      { deviceId, actionKey }: DeviceCredential,
      input: Act,
      options: CallOptions = {},
    ): Promise<ActResponse> {
      const { body } = await fetchJson(server, {
        ...options,
        operation: "act",
        method: "POST",
        path: ["api", "app", "v1", "acts"],
        headers: { authorization: `Device ${deviceId}.${actionKey}` },
        body: input,
        auth: "none",
        secret: actionKey,
      });
      return body;
    },
  };
}
