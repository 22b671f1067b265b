import { createClient } from "@tocsin/sdk";
import type { TestPerson } from "../support/app.ts";
import type { OperationRequest } from "./operations.ts";
import {
  createMissingId,
  getPassword,
  createSessionHeaders,
  type AppFixture,
} from "./app-fixture.ts";

/** A caller and the API key that they send. `teamKey` names the team that the management API changes. */
export interface KeyCaller {
  readonly person: TestPerson;
  readonly key: string;
  readonly teamKey: string;
}

/** A request with its own authentication: headers, or a key in the path. */
export type AuthenticatedRequest = Omit<OperationRequest, "operation"> & {
  readonly headers: Readonly<Record<string, string>>;
};

type RequestBuilder = (
  fixture: AppFixture,
  caller: KeyCaller,
) => Promise<AuthenticatedRequest> | AuthenticatedRequest;

const HELLO = { title: "Hello", body: "World" };
const PASSKEY_CREDENTIAL = {
  id: "",
  rawId: "",
  type: "public-key",
  response: { clientDataJSON: "", authenticatorData: "", signature: "" },
};

const requestByKey =
  (body: unknown): RequestBuilder =>
  (_fixture, { key }) => ({ headers: { "x-api-key": key }, ids: [], body });
const requestAnonymously =
  (body?: unknown): RequestBuilder =>
  () => ({ headers: {}, ids: [], body });
const requestBySession =
  (body?: unknown): RequestBuilder =>
  async ({ app }, { person }) => ({
    headers: await createSessionHeaders(app, person),
    ids: [],
    body,
  });

/** Opens an incident with the caller's key; returns a request about it, or about a missing one if the send fails. */
async function requestOnIncident({ person, key }: KeyCaller) {
  const { incidentId = "" } = await person
    .withKey(key)
    .notify({ ...HELLO, priority: "emergency" })
    .catch(() => ({ incidentId: createMissingId() }));
  return { headers: { "x-api-key": key }, ids: [incidentId] };
}

/** Opens a prompt with the caller's key; returns a request about it, or about a missing one if the send fails. */
async function requestOnPrompt(_fixture: AppFixture, { person, key }: KeyCaller) {
  const { promptId = "" } = await person
    .withKey(key)
    .notify({ ...HELLO, choices: ["yes", "no"] })
    .catch(() => ({ promptId: createMissingId() }));
  return { headers: { "x-api-key": key }, ids: [promptId], body: undefined };
}

/** Builders of requests to every operation of the notification and management APIs, which use a key. */
export const KEY_REQUESTS: Readonly<Record<string, RequestBuilder>> = {
  notify: requestByKey(HELLO),
  notifyAsync: requestByKey(HELLO),
  notifyWithKey: (_fixture, { key }) => ({ headers: {}, ids: [key], body: HELLO }),
  notifyWebhook: (_fixture, { key }) => ({
    headers: {},
    ids: [key],
    body: undefined,
    query: HELLO,
  }),
  notifyGroup: async (_fixture, { person, key }) => {
    const { id } = await person.client.groups.create({ name: "Desk", deviceIds: [] });
    return { headers: { "x-api-key": key }, ids: [id], body: HELLO };
  },
  getIncidentReceipt: async (_fixture, caller) => ({
    ...(await requestOnIncident(caller)),
    body: undefined,
  }),
  acknowledgeIncidentByKey: async (_fixture, caller) => {
    const { headers, ids } = await requestOnIncident(caller);
    return { headers, ids: [], body: { incidentId: ids[0] } };
  },
  resolveIncidentByKey: async (_fixture, caller) => {
    const { headers, ids } = await requestOnIncident(caller);
    return { headers, ids: [], body: { incidentId: ids[0] } };
  },
  getPromptReceipt: requestOnPrompt,
  cancelPrompt: requestOnPrompt,
  inviteToTeam: (fixture, { key, teamKey }) =>
    createManagementRequest(key, { team: teamKey, email: fixture.other.email }),
  removeFromTeam: (fixture, { key, teamKey }) =>
    createManagementRequest(key, { team: teamKey, email: fixture.target.email }),
};

/** Builders of requests to every operation below `/api/auth/`. */
export const SIGN_IN_REQUESTS: Readonly<Record<string, RequestBuilder>> = {
  signUp: (_fixture, { person }) => ({
    headers: {},
    ids: [],
    body: { email: `new-${person.email}`, name: "New", password: "password of New" },
  }),
  signIn: (_fixture, { person }) => ({
    headers: {},
    ids: [],
    body: { email: person.email, password: getPassword(person) },
  }),
  signOut: requestBySession({}),
  getSession: requestBySession(),
  changePassword: async ({ app }, { person }) => {
    const password = getPassword(person);
    const body = { currentPassword: password, newPassword: password };
    return { headers: await createSessionHeaders(app, person), ids: [], body };
  },
  requestPasswordReset: (_fixture, { person }) => ({
    headers: {},
    ids: [],
    body: { email: person.email },
  }),
  resetPassword: requestAnonymously({ token: createMissingId(), newPassword: "a new password" }),
  verifyEmail: requestAnonymously({ token: createMissingId() }),
  verifyEmailChange: requestAnonymously({ token: createMissingId() }),
  pair: async ({ app }, { person }) => {
    const browser = createClient({ baseUrl: app.url });
    await browser.signIn({ email: person.email, password: getPassword(person) });
    return { headers: {}, ids: [], body: { code: (await browser.pairings.create()).code } };
  },
  signInWithCode: requestAnonymously({ token: createMissingId(), code: "000000" }),
  beginPasskeySignIn: requestAnonymously({}),
  signInWithPasskey: requestAnonymously({ credential: PASSKEY_CREDENTIAL }),
  getSignInMethods: requestAnonymously(),
  beginOidc: requestAnonymously({}),
  finishOidc: requestAnonymously({ state: createMissingId(), code: createMissingId() }),
};

function createManagementRequest(key: string, body: unknown): AuthenticatedRequest {
  return { headers: { "x-api-key": key }, ids: [], body };
}
