import type {
  EmailVerification,
  NewAccessToken,
  PasswordReset,
  PasswordResetRequest,
  SignIn,
  SignUp,
} from "../account.ts";
import { askFor, askToDo } from "../http.ts";
import type { PageQuery } from "../page.ts";
import type { Call, CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations that open, tell and end one's own session. */
export function sessionOperations(server: Server) {
  return {
    /** Makes an account and opens its session, which the client (or the browser) then keeps. */
    signUp: (input: SignUp, options: CallOptions = {}) =>
      askToDo(server, authCall("signUp", ["sign-up", "email"], { ...options, body: input })),

    /** Opens a session, which the client (or the browser) then keeps. */
    signIn: (input: SignIn, options: CallOptions = {}) =>
      askToDo(server, authCall("signIn", ["sign-in", "email"], { ...options, body: input })),

    /** Returns whose session it is; unlike `me`, nobody's is an answer, and an access token is not asked for. */
    session: async (options: CallOptions = {}) => {
      const call = { ...options, operation: "session", method: "GET" } as const;
      const path = [...AUTH, "get-session"];
      return (await askFor(server, { ...call, path, auth: "session" })).body;
    },

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

/** Returns the operations of a person who forgot the password, or was mailed a link. */
export function linkOperations(server: Server) {
  return {
    /** Asks for a mail with a link to a new password; the answer is the same where the address has no account. */
    requestPasswordReset: (input: PasswordResetRequest, options: CallOptions = {}) =>
      askToDo(
        server,
        authCall("requestPasswordReset", ["request-password-reset"], { ...options, body: input }),
      ),

    /** Sets a new password, which ends all sessions and access tokens. Refused as `expired` after the link's time. */
    resetPassword: (input: PasswordReset, options: CallOptions = {}) =>
      askToDo(server, authCall("resetPassword", ["reset-password"], { ...options, body: input })),

    /** Confirms an e-mail address. Refused as `expired` after the link's time. */
    verifyEmail: (input: EmailVerification, options: CallOptions = {}) =>
      askToDo(server, authCall("verifyEmail", ["verify-email"], { ...options, body: input })),
  };
}

const AUTH = ["api", "auth"];

function authCall(
  operation: string,
  path: readonly string[],
  input: CallOptions & { readonly body: object },
): Call {
  return { ...input, operation, method: "POST", path: [...AUTH, ...path], auth: "session" };
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
