import type { DeviceGroupChange, NewDeviceGroup } from "../device.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the account's device groups. */
export function createGroupOperations(app: AppApi) {
  return {
    /** Returns the device groups, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "groups.list", path: ["groups"], query }),

    /** Creates a device group. */
    create: (input: NewDeviceGroup, options: CallOptions = {}) =>
      app.post({ ...options, operation: "groups.create", path: ["groups"], body: input }),

    /** Renames a device group or replaces its devices. */
    update: (id: string, input: DeviceGroupChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "groups.update", path: ["groups", id], body: input }),

    /** Deletes a device group; its devices stay. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "groups.remove", path: ["groups", id] }),
  };
}
