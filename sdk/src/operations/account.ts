import type {
  EmailVerification,
  NewAccessToken,
  PasswordReset,
  PasswordResetRequest,
  SignIn,
  SignUp,
} from "../account.ts";
import { askFor, askToDo } from "../http.ts";
import type { OidcBeginning, OidcReturn } from "../oidc.ts";
import type { PageQuery } from "../page.ts";
import type { Call, CallOptions } from "../request.ts";
import type { PasskeySignIn, PasswordChange, SignInCode, SignInResult } from "../security.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations that open, show and end one's own session. */
export function sessionOperations(server: Server) {
  return {
    /** Creates an account and opens its session, which the client (or the browser) then keeps. */
    signUp: (input: SignUp, options: CallOptions = {}) =>
      askToDo(server, authCall("signUp", ["sign-up", "email"], { ...options, body: input })),

    /** Opens a session, which the client (or the browser) then keeps; or returns a token for `signInWithCode`. */
    signIn: async (
      { email, password }: SignIn,
      options: CallOptions = {},
    ): Promise<SignInResult> => {
      // The server refuses unknown fields, and many callers keep a name beside a password.
      const body = { email, password };
      const call = authCall("signIn", ["sign-in", "email"], { ...options, body });
      const { twoFactorToken = null } = (await askFor(server, call)).body;
      return { twoFactorToken };
    },

    /** Sets a new password and ends every other session. */
    changePassword: (input: PasswordChange, options: CallOptions = {}) =>
      askToDo(server, authCall("changePassword", ["change-password"], { ...options, body: input })),

    /** Returns the account of the session; unlike `me`, returns null without one, and ignores access tokens. */
    session: async (options: CallOptions = {}) => {
      const call = { ...options, operation: "session", method: "GET" } as const;
      const path = [...AUTH, "get-session"];
      return (await askFor(server, { ...call, path, auth: "session" })).body;
    },

    /** Ends the session, and forgets it whatever the server answers. */
    signOut: async (options: CallOptions = {}) => {
      try {
        await askToDo(server, authCall("signOut", ["sign-out"], { ...options, body: {} }));
      } finally {
        server.session.clear();
      }
    },
  };
}

/** Returns the operations that open a session with more than a password, or without one. */
export function signInOperations(server: Server) {
  return {
    /** Completes a sign-in with a code. Refused as `expired` after ten minutes or five wrong codes. */
    signInWithCode: (input: SignInCode, options: CallOptions = {}) =>
      askToDo(
        server,
        authCall("signInWithCode", ["sign-in", "two-factor"], { ...options, body: input }),
      ),

    /** Returns the options with which a browser asks for a passkey. */
    passkeySignInOptions: async (options: CallOptions = {}) => {
      const path = ["sign-in", "passkey", "options"];
      const call = authCall("passkeySignInOptions", path, { ...options, body: {} });
      return (await askFor(server, call)).body;
    },

    /** Opens a session with only a passkey. */
    signInWithPasskey: (input: PasskeySignIn, options: CallOptions = {}) =>
      askToDo(
        server,
        authCall("signInWithPasskey", ["sign-in", "passkey"], { ...options, body: input }),
      ),

    /** Returns the ways to sign in besides password and passkey. */
    signInMethods: async (options: CallOptions = {}) => {
      const call = { ...options, operation: "signInMethods", method: "GET" } as const;
      const path = [...AUTH, "sign-in", "methods"];
      return (await askFor(server, { ...call, path, auth: "none" })).body;
    },

    /** Begins a sign-in at the identity provider; only this client or browser can finish it. */
    beginOidc: async (input: OidcBeginning = {}, options: CallOptions = {}) => {
      const call = authCall("beginOidc", ["sign-in", "oidc"], { ...options, body: input });
      return (await askFor(server, call)).body;
    },

    /** Finishes it; answers as `signIn` does. */
    finishOidc: async (input: OidcReturn, options: CallOptions = {}): Promise<SignInResult> => {
      const path = ["sign-in", "oidc", "finish"];
      const call = authCall("finishOidc", path, { ...options, body: input });
      const { body } = await askFor(server, call);
      return { twoFactorToken: body.twoFactorToken ?? null };
    },
  };
}

/** Returns the operations of a person who forgot the password, or received a link by mail. */
export function linkOperations(server: Server) {
  return {
    /** Requests a mail with a password reset link; the answer is the same if the address has no account. */
    requestPasswordReset: ({ email }: PasswordResetRequest, options: CallOptions = {}) =>
      askToDo(
        server,
        authCall("requestPasswordReset", ["request-password-reset"], {
          ...options,
          body: { email },
        }),
      ),

    /** Sets a new password, which ends all sessions and access tokens. Refused as `expired` once the link has expired. */
    resetPassword: (input: PasswordReset, options: CallOptions = {}) =>
      askToDo(server, authCall("resetPassword", ["reset-password"], { ...options, body: input })),

    /** Confirms an e-mail address. Refused as `expired` once the link has expired. */
    verifyEmail: (input: EmailVerification, options: CallOptions = {}) =>
      askToDo(server, authCall("verifyEmail", ["verify-email"], { ...options, body: input })),

    /** Changes the account's e-mail address to the new one. Refused as `expired` once the link has expired. */
    verifyEmailChange: (input: EmailVerification, options: CallOptions = {}) =>
      askToDo(
        server,
        authCall("verifyEmailChange", ["verify-email-change"], { ...options, body: input }),
      ),
  };
}

const AUTH = ["api", "auth"];

function authCall<Name extends string>(
  operation: Name,
  path: readonly string[],
  input: CallOptions & { readonly body: object },
): Call<Name> {
  return { ...input, operation, method: "POST", path: [...AUTH, ...path], auth: "session" };
}

/** Returns the operations on access tokens. */
export function accessTokenOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "accessTokens.list", path: ["access-tokens"], query }),

    /** Creates an access token; only this answer shows it. */
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
