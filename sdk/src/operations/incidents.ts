import { fetchJson } from "../http.ts";
import type { IncidentReference, IncidentQuery, IncidentsQuery } from "../incident.ts";
import type { CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** A note that an act adds to the history. */
export interface ActInput {
  /** At most 500 characters. */
  readonly note?: string;
}

/** Returns the operations on the incidents that the account was told about. */
export function createIncidentOperations(app: AppApi) {
  return {
    ...createReadOperations(app),

    /** Acknowledges an incident: it stops ringing, and everybody who was told learns who acted. */
    acknowledge: (id: string, input: ActInput = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "incidents.acknowledge",
        path: ["incidents", id, "acknowledge"],
        body: input,
      }),

    /** Acknowledges several incidents, at most 100. */
    acknowledgeAll: (ids: readonly string[], options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "incidents.acknowledgeAll",
        path: ["incidents", "acknowledge"],
        body: { ids },
      }),

    /** Resolves an incident, which ends it. */
    resolve: (id: string, input: ActInput = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "incidents.resolve",
        path: ["incidents", id, "resolve"],
        body: input,
      }),

    /** Passes a ringing incident on to the next step of its policy at once. */
    escalate: (id: string, input: ActInput = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "incidents.escalate",
        path: ["incidents", id, "escalate"],
        body: input,
      }),

    /** Makes an incident ring again, even if it was acknowledged or has expired. */
    ringAgain: (id: string, input: ActInput = {}, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "incidents.ringAgain",
        path: ["incidents", id, "ring-again"],
        body: input,
      }),

    ...createActLinkOperations(app),
  };
}

/** Returns the operations that read incidents. */
function createReadOperations(app: AppApi) {
  return {
    /** Returns the incidents, the newest first, in pages. */
    list: (query: IncidentsQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "incidents.list", path: ["incidents"], query }),

    /** Returns one incident with the latest part of its history, or with the part before a cursor. */
    get: (id: string, { cursor, ...options }: CallOptions & IncidentQuery = {}) =>
      app.get({
        ...options,
        operation: "incidents.get",
        path: ["incidents", id],
        query: { cursor },
      }),
  };
}

/** Returns the operations of the link in an alarm email. */
function createActLinkOperations(app: AppApi) {
  return {
    /** Returns the incident of the link in an alarm email, and changes nothing; needs no session. */
    lookByLink: (token: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "incidents.lookByLink",
        path: ["acts", "by-link", "look"],
        body: { token },
      }),

    /** Acknowledges the incident of the link in an alarm email, as the recipient of the email; needs no session. */
    acknowledgeByLink: (token: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "incidents.acknowledgeByLink",
        path: ["acts", "by-link"],
        body: { token },
      }),
  };
}

/** The options of a request for an incident or a prompt by its sender. */
export interface ReceiptOptions extends CallOptions {
  /** The longest wait for an act or an answer, in seconds: at most 60. */
  readonly waitSeconds?: number;
}

/** Returns the operations of a sender on its own incidents, with the API key that opened them or its successor. */
export function createReceiptOperations(server: Server) {
  return {
    /** Returns an incident; with `waitSeconds`, once it is no longer `triggered` or that time is over. */
    async get(id: string, { waitSeconds = 0, ...options }: ReceiptOptions = {}) {
      const { body } = await fetchJson(server, {
        ...options,
        operation: "receipts.get",
        method: "GET",
        path: [...API_PATH, "incidents", id],
        query: { wait: waitSeconds === 0 ? null : waitSeconds },
        waitMs: waitSeconds * 1_000,
        auth: "key",
      });
      return body;
    },

    /** Acknowledges an incident of the key. */
    async acknowledge(reference: IncidentReference, options: CallOptions = {}) {
      const { body } = await fetchJson(server, {
        ...options,
        operation: "receipts.acknowledge",
        method: "POST",
        path: [...API_PATH, "incidents", "acknowledge"],
        body: reference,
        auth: "key",
      });
      return body;
    },

    /** Resolves an incident of the key. */
    async resolve(reference: IncidentReference, options: CallOptions = {}) {
      const { body } = await fetchJson(server, {
        ...options,
        operation: "receipts.resolve",
        method: "POST",
        path: [...API_PATH, "incidents", "resolve"],
        body: reference,
        auth: "key",
      });
      return body;
    },
  };
}

const API_PATH = ["api", "v1"];
