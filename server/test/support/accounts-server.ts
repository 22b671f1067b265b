import { createClient, type Client } from "@tocsin/sdk";
import type { TestContext } from "node:test";
import type { Auth } from "#accounts/auth.ts";
import type { IdentityProvider } from "#accounts/oidc/identity-provider.ts";
import { createPersonFinder } from "#accounts/person-finder.ts";
import { registerAccountRoutes } from "#accounts/routes.ts";
import type { TeamInvitation } from "#accounts/sign-up.ts";
import type { Context } from "#context.ts";
import { createAuthenticate, createAuthenticateAdministrator } from "#http/authenticate.ts";
import { createSignIn } from "#composition/create-sign-in.ts";
import type { Mail } from "#mail/mail.ts";
import { insertMailQuery } from "#mail/store/outbox.ts";
import { hashToken } from "#token.ts";
import { readMail } from "./read-mail.ts";
import { startTestServer } from "./context.ts";

/** A listening server with only the accounts room. */
export interface AccountsServer {
  readonly url: string;
  readonly auth: Auth;
  /** Returns a new client: with an access token, or with an empty cookie jar. */
  createClient(accessToken?: string): Client;
  /** Posts JSON to a path without browser headers. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Returns the emails in the outbox, oldest first. */
  listMails(): Promise<readonly Pick<Mail, "purpose" | "to" | "text" | "link">[]>;
}

/** Options of `startAccountsServer`. */
export interface AccountsServerOptions {
  readonly signUp?: "open" | "invite" | "closed";
  readonly baseUrl?: string;
  readonly secret?: string;
  readonly identityProvider?: IdentityProvider;
  /** Whether the server trusts forwarded IP addresses. */
  readonly trustProxy?: boolean;
  /** Pending invitations by the token in their link. */
  readonly invitations?: Readonly<
    Record<string, Pick<TeamInvitation, "email"> & Partial<TeamInvitation>>
  >;
  readonly sendsMail?: boolean;
}

/** Starts the accounts room on the context's database. Emails stay in the outbox. */
export async function startAccountsServer(
  test: TestContext,
  context: Context,
  options: AccountsServerOptions = {},
): Promise<AccountsServer> {
  const { signUp = "open", baseUrl = "http://localhost:8080", invitations = {} } = options;
  const secret = options.secret ?? "a secret of this test, long enough to sign";
  const pendingInvitations = new Map(
    Object.entries(invitations).map(([token, invitation]) => [
      hashToken(token),
      { ...PLAIN_INVITATION, ...invitation },
    ]),
  );
  const mail = createOutbox(context);
  const signIn = createSignIn(context, { baseUrl, secret });
  const { auth } = signIn;
  const authenticate = createAuthenticate(createPersonFinder({ context, auth }), baseUrl);
  const findInvitation = async (tokenHash: string) => pendingInvitations.get(tokenHash) ?? null;
  const url = await startTestServer(
    test,
    { ...context, trustProxy: options.trustProxy ?? false },
    (server) =>
      registerAccountRoutes(server, {
        context,
        ...signIn,
        mail,
        baseUrl,
        signUpPolicy: async () => signUp,
        ...NO_DEVICES_OR_TEAMS,
        sendsMail: options.sendsMail ?? false,
        authenticateAdministrator: createAuthenticateAdministrator(authenticate),
        findTeamInvitation: findInvitation,
        authenticate,
        deletionSteps: NO_OTHER_ROOMS,
        onSignedOut: () => {},
        reclaim: { createStatements: () => [], onCommitted: () => {} },
        identityProvider: options.identityProvider ?? null,
        otherSections: { itemSchemas: {}, createSections: () => [] },
      }),
  );
  return {
    url,
    auth,
    createClient: (accessToken) =>
      createClient(accessToken === undefined ? { baseUrl: url } : { baseUrl: url, accessToken }),
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    listMails: () => readOutbox(context),
  };
}

/** Returns a mail service that stores emails and never sends them. */
function createOutbox(context: Context) {
  return {
    wake: () => {},
    enqueue: async (mail: Mail) => {
      await context.database.atomically([insertMailQuery(context, mail)]);
    },
  };
}

async function readOutbox(context: Context) {
  const rows = await context.database.db
    .selectFrom("mail_message")
    .select(["id", "purpose", "recipient as to", "text", "link"])
    .orderBy("id")
    .execute();
  return rows.map(({ id, purpose, to, ...stored }) => {
    return { purpose, to, ...readMail(context, { id, ...stored }) };
  });
}

const PLAIN_INVITATION = {
  isMailed: false,
  isByAdministrator: false,
  createAcceptanceStep: () => async () => true,
  onAccepted: () => {},
};

const NO_DEVICES_OR_TEAMS = {
  onSuspensionChanged: () => {},
  countDevices: async () => new Map<string, number>(),
  findTeamsToHandOver: async () => [],
  handOverTeams: async () => {},
  countTeams: async () => new Map<string, number>(),
};

const NO_OTHER_ROOMS = {
  leaveTeams: async () => {},
  endKeysAndDevices: async () => {},
  deleteContents: async () => {},
  createFinalStatements: () => [],
};
