import type { NewAccessToken, SignIn, SignUp } from "../account.ts";
import { askToDo } from "../http.ts";
import type { PageQuery } from "../page.ts";
import type { Call, CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations that open and end one's own session. */
export function sessionOperations(server: Server) {
  return {
    /** Makes an account and opens its session, which the client (or the browser) then keeps. */
    signUp: (input: SignUp, options: CallOptions = {}) =>
      askToDo(server, authCall("signUp", ["sign-up", "email"], { ...options, body: input })),

    /** Opens a session, which the client (or the browser) then keeps. */
    signIn: (input: SignIn, options: CallOptions = {}) =>
      askToDo(server, authCall("signIn", ["sign-in", "email"], { ...options, body: input })),

    /** Ends the session, and forgets it whatever the server says. */
    signOut: async (options: CallOptions = {}) => {
      try {
        await askToDo(server, authCall("signOut", ["sign-out"], { ...options, body: {} }));
      } finally {
        server.session.clear();
      }
    },
  };
}

function authCall(
  operation: string,
  path: readonly string[],
  input: CallOptions & { readonly body: object },
): Call {
  return { ...input, operation, method: "POST", path: ["api", "auth", ...path], auth: "session" };
}

/** Returns the operations on access tokens. */
export function accessTokenOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "accessTokens.list", path: ["access-tokens"], query }),

    /** Makes an access token; the answer alone shows it. */
    create: (input: NewAccessToken, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "accessTokens.create",
        path: ["access-tokens"],
        body: input,
      }),

    /** Revokes an access token. */
    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "accessTokens.remove", path: ["access-tokens", id] }),
  };
}
