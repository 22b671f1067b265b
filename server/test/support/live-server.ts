import { OPERATOR } from "#audit/event.ts";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { TestContext } from "node:test";
import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import { LiveHub } from "#notifications/live/hub.ts";
import { StreamCredentialChecks } from "#notifications/live/credential-checks.ts";
import { registerLiveRoutes } from "#notifications/live/routes.ts";
import { startTestServer, createRoomContext } from "./context.ts";

/** The id of every caller's account. */
export const ACCOUNT_ID = "ann";

const ACCESS_TOKEN_ID = "token";

/** The session of the streams, which a test can end. */
interface TestSession {
  hasEnded: boolean;
  /** Milliseconds since the epoch; null for a session that does not end. */
  endsAt: number | null;
}

/** Hooks with which a test delays the steps of opening a stream. */
export interface LiveHooks {
  readonly authenticate?: () => Promise<void>;
  readonly listMembershipPeriods?: () => Promise<void>;
  readonly findValidCredentials?: () => Promise<void>;
}

/** Starts a server with only the live stream, and a hub on which the test publishes events. */
export async function startLiveServer(t: TestContext, hooks: LiveHooks = {}) {
  const context = await createRoomContext(t);
  const hub = new LiveHub(context);
  const session: TestSession = { hasEnded: false, endsAt: null };
  let server: Server | null = null;
  const person = { email: "", name: "", isAdmin: false, isEmailVerified: true, session: null };
  const principal = { ...person, accessTokenId: ACCESS_TOKEN_ID, actor: OPERATOR };
  const credentialChecks = new StreamCredentialChecks({
    ...context,
    isListening: () => true,
    async findValidCredentials(ids) {
      await hooks.findValidCredentials?.();
      return new Map(session.hasEnded ? [] : ids.map((id) => [id, session.endsAt] as const));
    },
  });
  const url = await startTestServer(t, context, (startedServer) => {
    server = startedServer;
    registerLiveRoutes(startedServer, {
      context,
      hub,
      credentialChecks,
      async listMembershipPeriods() {
        await hooks.listMembershipPeriods?.();
        return [];
      },
      async authenticate() {
        await hooks.authenticate?.();
        if (session.hasEnded) throw new AppError("unauthenticated", "Sign in.");
        return { accountId: ACCOUNT_ID, ...principal };
      },
    });
  });
  const publish = (deviceId: string) => {
    const id = context.newId();
    const data = { deviceId, device: null, isNew: false };
    hub.publish({ id, kind: "device", data, accountIds: new Set([ACCOUNT_ID]) });
    return id;
  };
  const close = async () => {
    await server?.close();
  };
  const openStream = (lastEventId?: string) =>
    openLiveStream(t, `${url}/api/app/v1/live`, lastEventId);
  /** Resolves with the server's number of connections. */
  const countConnections = () =>
    new Promise<number>((resolve) => {
      server?.server.getConnections((_error, count) => resolve(count));
    });
  return {
    context,
    url,
    hub,
    credentialChecks,
    session,
    publish,
    close,
    openStream,
    countConnections,
  };
}

/** A response that a test reads step by step. */
export interface OpenResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly response: IncomingMessage;
  readonly closed: Promise<unknown>;
  /** Reads until the text has arrived, and resolves with everything so far. Rejects if the stream closes before. */
  readonly readUntil: (expected: string) => Promise<string>;
}

async function openLiveStream(
  t: TestContext,
  url: string,
  lastEventId?: string,
): Promise<OpenResponse> {
  const requestHeaders = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const request = get(url, { headers: requestHeaders, agent: false });
  request.on("error", () => {});
  t.after(() => request.destroy());
  // The event's only argument is the response.
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  const closed = new Promise((resolve) => response.once("close", resolve));
  const { statusCode: status, headers } = response;
  const decoder = new StringDecoder("utf8");
  let text = "";
  return {
    status,
    headers,
    response,
    closed,
    async readUntil(expected) {
      response.on("data", (bytes: Buffer) => (text += decoder.write(bytes)));
      while (!text.includes(expected)) {
        if (response.closed) throw new Error(`The stream closed without “${expected}”: ${text}`);
        await Promise.race([once(response, "data"), closed]);
      }
      response.removeAllListeners("data");
      return text;
    },
  };
}
