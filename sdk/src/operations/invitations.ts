import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the invitations that the account received. */
export function createInvitationOperations(app: AppApi) {
  return {
    /** Returns the pending invitations to the account's verified email address, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "invitations.list", path: ["invitations"], query }),

    /** Accepts an invitation and returns the team. */
    accept: (id: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "invitations.accept",
        path: ["invitations", id, "accept"],
      }),

    /** Declines an invitation. */
    decline: (id: string, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "invitations.decline",
        path: ["invitations", id, "decline"],
      }),

    /** Returns the invitation of a link without using up its token; needs no session. */
    preview: (token: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "invitations.preview",
        path: ["invitations", "look"],
        body: { token },
      }),

    /** Stops invitation emails to the address that the token was emailed to; needs no session. */
    refuseMails: (token: string, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "invitations.refuseMails",
        path: ["invitations", "refuse-mails"],
        body: { token },
      }),

    /** Allows invitation emails again to the address that the token was emailed to. */
    allowMails: (token: string, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "invitations.allowMails",
        path: ["invitations", "allow-mails"],
        body: { token },
      }),

    /** Accepts an invitation with the token of its link, and returns the team. */
    acceptToken: (token: string, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "invitations.acceptToken",
        path: ["invitations", "accept"],
        body: { token },
      }),
  };
}
