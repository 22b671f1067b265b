import type { DeviceGroupChange, NewDeviceGroup } from "../device.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on one's own device groups. */
export function groupOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "groups.list", path: ["groups"], query }),

    create: (input: NewDeviceGroup, options: CallOptions = {}) =>
      app.post({ ...options, operation: "groups.create", path: ["groups"], body: input }),

    update: (id: string, input: DeviceGroupChange, options: CallOptions = {}) =>
      app.patch({ ...options, operation: "groups.update", path: ["groups", id], body: input }),

    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "groups.remove", path: ["groups", id] }),
  };
}
