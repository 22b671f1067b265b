import type { Guard } from "#http/authenticate.ts";
import { createUnknownActor } from "#audit/actor.ts";
import { Type } from "#schema/json-schema.ts";
import { AppError } from "#errors.ts";
import { formatSetCookie, getCookieName, readCookie } from "#http/cookies.ts";
import { Nullable } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { toAccountResponse, SignInResponse } from "../response.ts";
import type { Auth } from "../auth.ts";
import { recordIfItFails, type FailedSignInLog } from "../failed-sign-in-log.ts";
import {
  countFailures,
  createAttemptLimit,
  toNetwork,
  type AttemptLimit,
} from "../attempt-limit.ts";
import { requestSecondFactor } from "../sign-in.ts";
import { isSetUp } from "../store/accounts.ts";
import { beginOidc, finishOidc, OIDC_SIGN_IN_TTL_MS, type OidcDeps } from "./sign-in.ts";

interface OidcRouteDeps extends Omit<OidcDeps, "provider"> {
  readonly auth: Auth;
  readonly failedSignIns: FailedSignInLog;
  /** Null if no identity provider is configured. */
  readonly provider: OidcDeps["provider"] | null;
}

/** Limits started sign-ins per network, because each is stored until it ends. */
const BEGIN_RATE = { name: "sign-in by provider", burst: 60, perHour: 1_200 };

/** Registers the sign-in through an identity provider, and the list of sign-in methods. */
export function registerOidcRoutes(
  server: Server,
  deps: OidcRouteDeps,
  { guard, failureLimit }: { readonly guard: Guard; readonly failureLimit: AttemptLimit },
): void {
  registerSignInMethods(server, deps);
  registerBegin(server, deps, guard);
  registerFinish(server, deps, { guard, failureLimit });
}

const tags = ["Sign-in"];

const SignInMethodsResponse = Type.Object({
  oidc: Nullable(Type.Object({ name: Type.String() })),
  sendsMail: Type.Boolean({
    description: "Whether this server sends links by email; if not, an administrator shares them.",
  }),
  signUp: Type.Enum(["open", "invite", "closed"], { description: "Who can create an account." }),
  isSetUp: Type.Boolean({
    description:
      "Whether the server has an administrator. If it does, set-up links no longer work.",
  }),
});

function registerSignInMethods(server: Server, deps: OidcRouteDeps): void {
  const { context, provider, sendsMail, signUpPolicy } = deps;
  const schema = {
    operationId: "getSignInMethods",
    tags,
    summary:
      "Show how people can sign in other than with a password or passkey, and who can sign up",
    response: { 200: SignInMethodsResponse },
  };
  server.get("/api/auth/sign-in/methods", { schema }, async () => ({
    oidc: provider === null ? null : { name: provider.name },
    sendsMail,
    signUp: await signUpPolicy(),
    isSetUp: await isSetUp(context),
  }));
}

function registerBegin(server: Server, deps: OidcRouteDeps, guard: Guard): void {
  const limit = createAttemptLimit(deps.context, BEGIN_RATE);
  const schema = {
    operationId: "beginOidc",
    errorStatuses: [429],
    tags,
    summary:
      "Start a sign-in at the identity provider; `token` comes from a set-up or invitation link",
    body: Type.Object({ token: Type.Optional(Type.String()) }),
    response: {
      200: Type.Object({ url: Type.String({ description: "The URL to open in the browser." }) }),
    },
  };
  server.post("/api/auth/sign-in/oidc", { schema, onRequest: guard }, async (request, reply) => {
    await limit.take(toNetwork(request.ip));
    const { token = null } = request.body;
    const { url, browserSecret: value } = await beginOidc(requireProvider(deps), token);
    const cookie = { name: getCookieName("oidc", deps.baseUrl), value, ttlMs: OIDC_SIGN_IN_TTL_MS };
    return reply.header("set-cookie", formatSetCookie(cookie)).send({ url });
  });
}

function registerFinish(
  server: Server,
  deps: OidcRouteDeps,
  { guard, failureLimit }: { readonly guard: Guard; readonly failureLimit: AttemptLimit },
): void {
  const schema = {
    operationId: "finishOidc",
    errorStatuses: [401, 409, 429],
    tags,
    summary:
      "Finish a sign-in with the parameters that the identity provider sent to /sign-in/oidc",
    body: Type.Object({
      state: Type.String(),
      code: Type.String(),
      iss: Type.Optional(
        Type.String({ description: "The issuer, if the identity provider sends it (RFC 9207)." }),
      ),
    }),
    response: { 200: SignInResponse },
  };
  const path = "/api/auth/sign-in/oidc/finish";
  server.post(path, { schema, onRequest: guard }, async (request, reply) => {
    const { state, code, iss: issuer = null } = request.body;
    const name = getCookieName("oidc", deps.baseUrl);
    const browserSecret = readCookie(request.headers.cookie, name) ?? "";
    const callback = { state, code, issuer, browserSecret, actor: createUnknownActor(request) };
    const key = toNetwork(request.ip);
    const accountId = await countFailures({ limit: failureLimit, key }, () =>
      recordIfItFails(
        deps.failedSignIns,
        { method: "oidc", actor: callback.actor, codes: ["unauthenticated", "forbidden"] },
        () => finishOidc(requireProvider(deps), callback),
      ),
    );
    const clearedCookie = formatSetCookie({ name, value: "", ttlMs: 0 });
    const factor = await requestSecondFactor(deps.context, accountId);
    if (factor.kind === "code_required") {
      return reply.header("set-cookie", clearedCookie).send({ twoFactorToken: factor.token });
    }
    const proof = { method: "oidc", caller: request } as const;
    const { account, cookies } = await deps.auth.openSession(accountId, proof);
    return reply.header("set-cookie", [...cookies, clearedCookie]).send(toAccountResponse(account));
  });
}

function requireProvider({ provider, ...deps }: OidcRouteDeps): OidcDeps {
  if (provider !== null) return { ...deps, provider };
  throw new AppError("invalid_request", "No identity provider is configured on this server.");
}
