import type { EscalationPolicyChange, NewEscalationPolicy } from "../escalation.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the escalation policies of the account and of the teams that it manages. */
export function createEscalationPolicyOperations(app: AppApi) {
  return {
    /** Returns the escalation policies with the devices and people that they would reach now, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({
        ...options,
        operation: "escalationPolicies.list",
        path: ["escalation-policies"],
        query,
      }),

    /** Creates an escalation policy. */
    create: (input: NewEscalationPolicy, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "escalationPolicies.create",
        path: ["escalation-policies"],
        body: input,
      }),

    /** Renames an escalation policy, or replaces its steps or its reminder. */
    update: (id: string, input: EscalationPolicyChange, options: CallOptions = {}) =>
      app.patch({
        ...options,
        operation: "escalationPolicies.update",
        path: ["escalation-policies", id],
        body: input,
      }),

    /** Notifies the devices of a policy's first step, as a test; sends no email and makes no callback. */
    test: (id: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "escalationPolicies.test",
        path: ["escalation-policies", id, "test"],
      }),

    /** Deletes an escalation policy; keys that used it then have none. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({
        ...options,
        operation: "escalationPolicies.remove",
        path: ["escalation-policies", id],
      }),
  };
}
