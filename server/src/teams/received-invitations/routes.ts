import { INVITATION_STATES, RECIPIENT_MAILS } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import type { FastifyRequest } from "fastify";
import {
  countFailures,
  createAttemptLimit,
  toNetwork,
  type AttemptLimit,
} from "#accounts/attempt-limit.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Timestamp, TeamResponse } from "../schemas.ts";
import {
  acceptInvitationById,
  acceptInvitationByToken,
  type AcceptInvitationDeps,
} from "./accept-invitation.ts";
import { declineInvitation } from "./decline-invitation.ts";
import { previewInvitation } from "./preview-invitation.ts";
import { listReceivedInvitations } from "./list-received.ts";
import type { Recipient } from "./recipient.ts";
import { allowMailsByToken, refuseMailsByToken } from "./refuse-mails.ts";

/** The dependencies of the routes for received invitations. */
export interface ReceivedInvitationRouteDeps extends AcceptInvitationDeps {
  readonly authenticate: Authenticate;
}

const tags = ["Invitations"];
const InvitationParams = Type.Object({ invitationId: Type.String() });

const ReceivedInvitationResponse = Type.Object({
  id: Type.String(),
  team: Type.Object({ id: Type.String(), name: Type.String() }),
  invitedBy: Type.Object({ name: Type.String(), email: Type.String() }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});

const TokenBody = Type.Object({ token: Type.String() });
const RecipientMails = Type.Enum([...RECIPIENT_MAILS]);

const InvitationPreviewResponse = Type.Object({
  team: Type.Object({ name: Type.String() }),
  invitedBy: Type.Object({ name: Type.String() }),
  email: Type.String({ description: "The invited address." }),
  isMailed: Type.Boolean({
    description: "Whether the token was emailed, so that signing up with it proves the address.",
  }),
  expiresAt: Timestamp,
  state: Type.Enum([...INVITATION_STATES], {
    description: "`accepted` is shown only to the member who accepted.",
  }),
  mails: Type.Union([RecipientMails, Type.Null()], {
    description:
      "Whether invitation emails are sent to the address; null for a link that was not emailed, which cannot change this.",
  }),
});

const EndedInvitationResponse = Type.Object(
  { state: Type.Literal("over"), email: Type.String(), mails: RecipientMails },
  {
    description:
      "An invitation that was answered or revoked, shown to the holder of its emailed link.",
  },
);

/** Limits invalid tokens, by network. */
const FAILURE_RATE = { name: "unknown invitation", burst: 10, perHour: 600 };

/** Registers the operations of a recipient on their invitations. */
export function registerReceivedInvitationRoutes(
  server: Server,
  deps: ReceivedInvitationRouteDeps,
): void {
  registerList(server, deps);
  const failureLimit = createAttemptLimit(deps.context, FAILURE_RATE);
  registerPreview(server, deps, failureLimit);
  registerMailPreferences(server, deps, failureLimit);
  registerAcceptByToken(server, deps);
  registerAcceptById(server, deps);
  registerDecline(server, deps);
}

function registerList(server: Server, deps: ReceivedInvitationRouteDeps): void {
  const schema = {
    operationId: "listInvitations",
    summary: "List the pending invitations to my verified email address",
    tags,
    querystring: PageQuery,
    response: { 200: PageResponse(ReceivedInvitationResponse) },
  };
  server.get("/api/app/v1/invitations", { schema }, async (request) => {
    const recipient = await authenticateRecipient(deps, request);
    const { after, limit } = parsePage(request.query);
    const items = await listReceivedInvitations(deps.context, {
      recipient,
      after,
      limit: limit + 1,
    });
    return toPage(items, limit);
  });
}

/** A link is opened before sign-in, so this route needs no session. Its token is a secret of 160 bits. */
function registerPreview(
  server: Server,
  deps: ReceivedInvitationRouteDeps,
  failureLimit: AttemptLimit,
): void {
  const schema = {
    operationId: "lookAtInvitation",
    errorStatuses: [403, 404, 429],
    summary: "Show the invitation that a link's token belongs to, without using up the token",
    tags,
    security: [],
    body: TokenBody,
    response: { 200: Type.Union([InvitationPreviewResponse, EndedInvitationResponse]) },
  };
  server.post("/api/app/v1/invitations/look", { schema }, async (request) => {
    const accountId = await findAccountId(deps, request);
    const { token } = request.body;
    return countFailures({ limit: failureLimit, key: toNetwork(request.ip) }, () =>
      previewInvitation(deps.context, { token, accountId }),
    );
  });
}

/** Unsubscribing requires no account. Programs that follow links do not send POST. */
function registerMailPreferences(
  server: Server,
  { context }: ReceivedInvitationRouteDeps,
  failureLimit: AttemptLimit,
): void {
  const routes = [
    {
      path: "/api/app/v1/invitations/refuse-mails",
      operationId: "refuseInvitationMails",
      summary: "Stop invitation emails to the address of an emailed invitation link",
      action: refuseMailsByToken,
    },
    {
      path: "/api/app/v1/invitations/allow-mails",
      operationId: "allowInvitationMails",
      summary: "Allow invitation emails again to the address of an emailed invitation link",
      action: allowMailsByToken,
    },
  ];
  for (const { path, operationId, summary, action } of routes) {
    const errorStatuses = [404, 429];
    const response = { 204: Type.Null() };
    const schema = {
      operationId,
      errorStatuses,
      summary,
      tags,
      security: [],
      body: TokenBody,
      response,
    };
    server.post(path, { schema }, async (request, reply) => {
      const key = toNetwork(request.ip);
      await countFailures({ limit: failureLimit, key }, () => action(context, request.body.token));
      return reply.code(204).send(null);
    });
  }
}

/** Returns the account id of the request; null if nobody is signed in. */
async function findAccountId(
  { authenticate }: ReceivedInvitationRouteDeps,
  request: FastifyRequest,
): Promise<string | null> {
  try {
    return (await authenticate(request)).accountId;
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return null;
    throw error;
  }
}

function registerAcceptByToken(server: Server, deps: ReceivedInvitationRouteDeps): void {
  const schema = {
    operationId: "acceptInvitationToken",
    errorStatuses: [404],
    summary: "Join a team with the token of an invitation link, once",
    tags,
    body: TokenBody,
    response: { 200: TeamResponse },
  };
  server.post("/api/app/v1/invitations/accept", { schema }, async (request) => {
    const recipient = await authenticateRecipient(deps, request);
    return acceptInvitationByToken(deps, { recipient, token: request.body.token });
  });
}

function registerAcceptById(server: Server, deps: ReceivedInvitationRouteDeps): void {
  const schema = {
    operationId: "acceptInvitation",
    summary: "Join a team by an invitation to my verified email address, once",
    tags,
    params: InvitationParams,
    response: { 200: TeamResponse },
  };
  server.post("/api/app/v1/invitations/:invitationId/accept", { schema }, async (request) => {
    const recipient = await authenticateRecipient(deps, request);
    return acceptInvitationById(deps, { recipient, invitationId: request.params.invitationId });
  });
}

function registerDecline(server: Server, deps: ReceivedInvitationRouteDeps): void {
  const schema = {
    operationId: "declineInvitation",
    summary: "Decline an invitation to my verified email address",
    tags,
    params: InvitationParams,
    response: { 204: Type.Null() },
  };
  const path = "/api/app/v1/invitations/:invitationId/decline";
  server.post(path, { schema }, async (request, reply) => {
    const recipient = await authenticateRecipient(deps, request);
    const { invitationId } = request.params;
    await declineInvitation(deps.context, { recipient, invitationId });
    return reply.code(204).send(null);
  });
}

async function authenticateRecipient(
  { authenticate }: ReceivedInvitationRouteDeps,
  request: FastifyRequest,
): Promise<Recipient> {
  const { accountId, email, isEmailVerified, actor } = await authenticate(request);
  return { accountId, email: email.toLowerCase(), isEmailVerified, actor };
}
