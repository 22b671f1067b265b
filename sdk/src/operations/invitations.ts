import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the invitations addressed to me. */
export function invitationOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "invitations.list", path: ["invitations"], query }),

    accept: (id: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "invitations.accept",
        path: ["invitations", id, "accept"],
      }),

    decline: (id: string, options: CallOptions = {}) =>
      app.tell({
        ...options,
        operation: "invitations.decline",
        path: ["invitations", id, "decline"],
      }),

    /** Returns the invitation of a link, signed in or not; does not use it up. */
    look: (token: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "invitations.look",
        path: ["invitations", "look"],
        body: { token },
      }),

    /** Stops invitation mails to the address that the token was mailed to, signed in or not. */
    refuseMails: (token: string, options: CallOptions = {}) =>
      app.tell({
        ...options,
        operation: "invitations.refuseMails",
        path: ["invitations", "refuse-mails"],
        body: { token },
      }),

    /** Allows invitation mails again to the address that the token was mailed to. */
    allowMails: (token: string, options: CallOptions = {}) =>
      app.tell({
        ...options,
        operation: "invitations.allowMails",
        path: ["invitations", "allow-mails"],
        body: { token },
      }),

    /** Accepts with the token of the invitation link. */
    acceptToken: (token: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "invitations.acceptToken",
        path: ["invitations", "accept"],
        body: { token },
      }),
  };
}
