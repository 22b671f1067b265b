import type {
  EmailVerification,
  NewAccessToken,
  PasswordReset,
  PasswordResetRequest,
  SignIn,
  SignUp,
} from "../account.ts";
import { fetchJson, execute } from "../http.ts";
import type { OidcSignInRequest, OidcCallback } from "../oidc.ts";
import type { PageQuery } from "../page.ts";
import type { Call, CallOptions } from "../request.ts";
import type { PasskeySignIn, PasswordChange, SignInCode, SignInResult } from "../security.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations that open, show and end a session. */
export function createSessionOperations(server: Server) {
  return {
    /** Creates an account and opens its session, which the client (or the browser) then keeps. */
    signUp: (input: SignUp, options: CallOptions = {}) =>
      execute(server, createAuthCall("signUp", ["sign-up", "email"], { ...options, body: input })),

    /** Opens a session, which the client (or the browser) then keeps, or returns a token for `signInWithCode`. */
    signIn: async (
      { email, password }: SignIn,
      options: CallOptions = {},
    ): Promise<SignInResult> => {
      // The server refuses unknown fields, and callers often pass an object with more fields, such as a name.
      const body = { email, password };
      const call = createAuthCall("signIn", ["sign-in", "email"], { ...options, body });
      const { twoFactorToken = null } = (await fetchJson(server, call)).body;
      return { twoFactorToken };
    },

    /** Sets a new password and ends every other session. */
    changePassword: (input: PasswordChange, options: CallOptions = {}) =>
      execute(
        server,
        createAuthCall("changePassword", ["change-password"], { ...options, body: input }),
      ),

    /** Returns the session, whose `account` is null if there is none. Unlike `me`, it ignores access tokens. */
    session: async (options: CallOptions = {}) => {
      const call = { ...options, operation: "session", method: "GET" } as const;
      const path = [...AUTH_PATH, "get-session"];
      return (await fetchJson(server, { ...call, path, auth: "session" })).body;
    },

    /** Ends the session and deletes its cookies, even if the request fails. */
    signOut: async (options: CallOptions = {}) => {
      try {
        await execute(server, createAuthCall("signOut", ["sign-out"], { ...options, body: {} }));
      } finally {
        server.cookieJar.clear();
      }
    },
  };
}

/** Returns the operations that open a session with a second factor, a passkey or an identity provider. */
export function createSignInOperations(server: Server) {
  return {
    /** Completes a sign-in with a code. Rejects with `expired` after ten minutes or five wrong codes. */
    signInWithCode: (input: SignInCode, options: CallOptions = {}) =>
      execute(
        server,
        createAuthCall("signInWithCode", ["sign-in", "two-factor"], { ...options, body: input }),
      ),

    /** Returns the options for requesting a passkey in a browser. */
    passkeySignInOptions: async (options: CallOptions = {}) => {
      const path = ["sign-in", "passkey", "options"];
      const call = createAuthCall("passkeySignInOptions", path, { ...options, body: {} });
      return (await fetchJson(server, call)).body;
    },

    /** Opens a session with a passkey, without a password. */
    signInWithPasskey: (input: PasskeySignIn, options: CallOptions = {}) =>
      execute(
        server,
        createAuthCall("signInWithPasskey", ["sign-in", "passkey"], { ...options, body: input }),
      ),

    /** Returns the server's public settings of sign-in and sign-up. */
    signInMethods: async (options: CallOptions = {}) => {
      const call = { ...options, operation: "signInMethods", method: "GET" } as const;
      const path = [...AUTH_PATH, "sign-in", "methods"];
      return (await fetchJson(server, { ...call, path, auth: "none" })).body;
    },

    /** Begins a sign-in at the identity provider; only this client or browser can finish it. */
    beginOidc: async (input: OidcSignInRequest = {}, options: CallOptions = {}) => {
      const call = createAuthCall("beginOidc", ["sign-in", "oidc"], { ...options, body: input });
      return (await fetchJson(server, call)).body;
    },

    /** Finishes a sign-in at the identity provider; returns the same result as `signIn`. */
    finishOidc: async (input: OidcCallback, options: CallOptions = {}): Promise<SignInResult> => {
      const path = ["sign-in", "oidc", "finish"];
      const call = createAuthCall("finishOidc", path, { ...options, body: input });
      const { body } = await fetchJson(server, call);
      return { twoFactorToken: body.twoFactorToken ?? null };
    },
  };
}

/** Returns the operations for forgotten passwords and emailed links. */
export function createLinkOperations(server: Server) {
  return {
    /** Requests an email with a password reset link; the response is the same if the address has no account. */
    requestPasswordReset: ({ email }: PasswordResetRequest, options: CallOptions = {}) =>
      execute(
        server,
        createAuthCall("requestPasswordReset", ["request-password-reset"], {
          ...options,
          body: { email },
        }),
      ),

    /** Sets a new password, which ends all sessions and access tokens. Rejects with `expired` for an expired link. */
    resetPassword: (input: PasswordReset, options: CallOptions = {}) =>
      execute(
        server,
        createAuthCall("resetPassword", ["reset-password"], { ...options, body: input }),
      ),

    /** Verifies an email address. Rejects with `expired` for an expired link. */
    verifyEmail: (input: EmailVerification, options: CallOptions = {}) =>
      execute(server, createAuthCall("verifyEmail", ["verify-email"], { ...options, body: input })),

    /** Changes the account's email address to the new one. Rejects with `expired` for an expired link. */
    verifyEmailChange: (input: EmailVerification, options: CallOptions = {}) =>
      execute(
        server,
        createAuthCall("verifyEmailChange", ["verify-email-change"], { ...options, body: input }),
      ),
  };
}

const AUTH_PATH = ["api", "auth"];

function createAuthCall<Name extends string>(
  operation: Name,
  path: readonly string[],
  input: CallOptions & { readonly body: object },
): Call<Name> {
  return { ...input, operation, method: "POST", path: [...AUTH_PATH, ...path], auth: "session" };
}

/** Returns the operations on access tokens. */
export function createAccessTokenOperations(app: AppApi) {
  return {
    /** Returns the access tokens of the account, in pages. */
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "accessTokens.list", path: ["access-tokens"], query }),

    /** Creates an access token; only this response contains it. */
    create: (input: NewAccessToken, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "accessTokens.create",
        path: ["access-tokens"],
        body: input,
      }),

    /** Revokes an access token. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "accessTokens.remove", path: ["access-tokens", id] }),
  };
}
