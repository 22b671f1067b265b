import { createClient } from "@tocsin/sdk";
import type { TestPerson } from "../support/app.ts";
import type { OperationRequest } from "./operations.ts";
import { missingId, passwordOf, session, type Stage } from "./stage.ts";

/** The caller, by API key; the team key belongs to a team of which the caller may be a member. */
export interface KeyCaller {
  readonly person: TestPerson;
  readonly key: string;
  readonly teamKey: string;
}

/** A request, with the headers that authenticate it. */
export type AuthenticatedRequest = Omit<OperationRequest, "operation"> & {
  readonly headers: Readonly<Record<string, string>>;
};

type RequestBuilder = (
  stage: Stage,
  caller: KeyCaller,
) => Promise<AuthenticatedRequest> | AuthenticatedRequest;

const HELLO = { title: "Hello", body: "World" };
const CREDENTIAL = {
  id: "",
  rawId: "",
  type: "public-key",
  response: { clientDataJSON: "", authenticatorData: "", signature: "" },
};

const byKey =
  (body: unknown): RequestBuilder =>
  (_stage, { key }) => ({ headers: { "x-api-key": key }, ids: [], body });
const anonymously =
  (body?: unknown): RequestBuilder =>
  () => ({ headers: {}, ids: [], body });
const bySession =
  (body?: unknown): RequestBuilder =>
  async ({ app }, { person }) => ({ headers: await session(app, person), ids: [], body });

/** Requests to every operation of the notification and management APIs, which use a key. */
export const KEY_REQUESTS: Readonly<Record<string, RequestBuilder>> = {
  notify: byKey(HELLO),
  notifyAsync: byKey(HELLO),
  notifyWithKey: (_stage, { key }) => ({ headers: {}, ids: [key], body: HELLO }),
  notifyWebhook: (_stage, { key }) => ({ headers: {}, ids: [key], body: undefined, query: HELLO }),
  notifyGroup: async (_stage, { person, key }) => {
    const { id } = await person.client.groups.create({ name: "Desk", deviceIds: [] });
    return { headers: { "x-api-key": key }, ids: [id], body: HELLO };
  },
  inviteToTeam: (stage, { key, teamKey }) =>
    manage(key, { team: teamKey, email: stage.other.email }),
  removeFromTeam: (stage, { key, teamKey }) =>
    manage(key, { team: teamKey, email: stage.target.email }),
};

/** Requests to every sign-in and sign-out operation. */
export const SIGN_IN_REQUESTS: Readonly<Record<string, RequestBuilder>> = {
  signUp: (_stage, { person }) => ({
    headers: {},
    ids: [],
    body: { email: `new-${person.email}`, name: "New", password: "password of New" },
  }),
  signIn: (_stage, { person }) => ({
    headers: {},
    ids: [],
    body: { email: person.email, password: passwordOf(person) },
  }),
  signOut: bySession({}),
  getSession: bySession(),
  changePassword: async ({ app }, { person }) => {
    const password = passwordOf(person);
    const body = { currentPassword: password, newPassword: password };
    return { headers: await session(app, person), ids: [], body };
  },
  requestPasswordReset: (_stage, { person }) => ({
    headers: {},
    ids: [],
    body: { email: person.email },
  }),
  resetPassword: anonymously({ token: missingId(), newPassword: "a new password" }),
  verifyEmail: anonymously({ token: missingId() }),
  verifyEmailChange: anonymously({ token: missingId() }),
  pair: async ({ app }, { person }) => {
    const browser = createClient({ baseUrl: app.url });
    await browser.signIn({ email: person.email, password: passwordOf(person) });
    return { headers: {}, ids: [], body: { code: (await browser.pairings.create()).code } };
  },
  signInWithCode: anonymously({ token: missingId(), code: "000000" }),
  beginPasskeySignIn: anonymously({}),
  signInWithPasskey: anonymously({ credential: CREDENTIAL }),
  getSignInMethods: anonymously(),
  beginOidc: anonymously({}),
  finishOidc: anonymously({ state: missingId(), code: missingId() }),
};

function manage(key: string, body: unknown): AuthenticatedRequest {
  return { headers: { "x-api-key": key }, ids: [], body };
}
