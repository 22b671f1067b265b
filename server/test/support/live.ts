import { OPERATOR } from "#audit/event.ts";
import { once } from "node:events";
import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { TestContext } from "node:test";
import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import { LiveHub } from "#notifications/live/hub.ts";
import { StreamRights } from "#notifications/live/rights.ts";
import { registerLiveRoutes } from "#notifications/live/routes.ts";
import { listen, testContext } from "./room.ts";

/** The account of every caller. */
export const ANN = "ann";

const TOKEN = "the token";

/** The session of the streams, which a test can end. */
interface TestSession {
  hasEnded: boolean;
  /** Milliseconds since the epoch. */
  endsAt: number | null;
}

/** Hooks with which a test delays steps of opening a stream. */
export interface LiveSteps {
  readonly authenticate?: () => Promise<void>;
  readonly staysOf?: () => Promise<void>;
  readonly find?: () => Promise<void>;
}

/** Starts a server with only the live stream, and a hub on which the test publishes. */
export async function startLive(t: TestContext, steps: LiveSteps = {}) {
  const context = await testContext(t);
  const hub = new LiveHub(context);
  const session: TestSession = { hasEnded: false, endsAt: null };
  const servers: Server[] = [];
  const person = { email: "", name: "", isAdmin: false, isEmailVerified: true, session: null };
  const principal = { ...person, accessTokenId: TOKEN, actor: OPERATOR };
  const rights = new StreamRights({
    ...context,
    isHearing: () => true,
    async find(ids) {
      await steps.find?.();
      return new Map(session.hasEnded ? [] : ids.map((id) => [id, session.endsAt] as const));
    },
  });
  const url = await listen(t, context, (server) => {
    servers.push(server);
    registerLiveRoutes(server, {
      context,
      hub,
      rights,
      async staysOf() {
        await steps.staysOf?.();
        return [];
      },
      async authenticate() {
        await steps.authenticate?.();
        if (session.hasEnded) throw new AppError("unauthenticated", "Sign in.");
        return { accountId: ANN, ...principal };
      },
    });
  });
  const publish = (deviceId: string) => {
    const id = context.newId();
    const data = { deviceId, device: null, isNew: false };
    hub.publish({ id, kind: "device", data, accountIds: new Set([ANN]) });
    return id;
  };
  const close = async () => {
    for (const server of servers) await server.close();
  };
  const stream = (lastEventId?: string) => read(t, `${url}/api/app/v1/live`, lastEventId);
  /** Resolves with the server's number of connections. */
  const connections = () =>
    new Promise<number>((resolve) => {
      for (const { server } of servers) server.getConnections((_error, count) => resolve(count));
    });
  return { context, url, hub, rights, session, publish, close, stream, connections };
}

/** A response that a test reads step by step. */
export interface OpenResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly response: IncomingMessage;
  readonly ended: Promise<unknown>;
  /** Reads until the text has arrived, and resolves with everything so far. */
  readonly read: (expected: string) => Promise<string>;
}

async function read(t: TestContext, url: string, lastEventId?: string): Promise<OpenResponse> {
  const requestHeaders = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const request = get(url, { headers: requestHeaders, agent: false });
  request.on("error", () => {});
  t.after(() => request.destroy());
  // The event's only argument is the response.
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  const ended = new Promise((resolve) => response.once("close", resolve));
  const { statusCode: status, headers } = response;
  let text = "";
  return {
    status,
    headers,
    response,
    ended,
    async read(expected) {
      response.on("data", (bytes: Buffer) => (text += bytes.toString()));
      while (!text.includes(expected)) await once(response, "data");
      response.removeAllListeners("data");
      return text;
    },
  };
}
