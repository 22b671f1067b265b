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

/** The account that everybody who asks is signed in to. */
export const ANN = "ann";

const TOKEN = "the token";

/** Opens the streams; a test ends it. */
interface TestSession {
  isOver: boolean;
  /** Milliseconds since the epoch. */
  endsAt: number | null;
}

/** Steps of opening a stream that a test may hold up. */
export interface LiveSteps {
  readonly authenticate?: () => Promise<void>;
  readonly staysOf?: () => Promise<void>;
  readonly find?: () => Promise<void>;
}

/** Starts a server with the live stream alone, and a hub that the test speaks to. */
export async function startLive(t: TestContext, steps: LiveSteps = {}) {
  const context = await testContext(t);
  const hub = new LiveHub(context);
  const session: TestSession = { isOver: false, endsAt: null };
  const servers: Server[] = [];
  const person = { email: "", name: "", isAdmin: false, isEmailVerified: true, session: null };
  const known = { ...person, accessTokenId: TOKEN, actor: OPERATOR };
  const rights = new StreamRights({
    ...context,
    isHearing: () => true,
    async find(ids) {
      await steps.find?.();
      return new Map(session.isOver ? [] : ids.map((id) => [id, session.endsAt] as const));
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
        if (session.isOver) throw new AppError("unauthenticated", "Sign in.");
        return { accountId: ANN, ...known };
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
  /** Resolves with how many connections the server sees. */
  const connections = () =>
    new Promise<number>((resolve) => {
      for (const { server } of servers) server.getConnections((_error, count) => resolve(count));
    });
  return { context, url, hub, rights, session, publish, close, stream, connections };
}

/** An answer whose text is read as far as a test wants. */
export interface Reading {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly answer: IncomingMessage;
  readonly ended: Promise<unknown>;
  /** Reads until the text has come; resolves with everything so far. */
  readonly read: (wanted: string) => Promise<string>;
}

async function read(t: TestContext, url: string, lastEventId?: string): Promise<Reading> {
  const asked = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const request = get(url, { headers: asked, agent: false });
  request.on("error", () => {});
  t.after(() => request.destroy());
  // The event's one argument is the answer.
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.on("error", () => {});
  const ended = new Promise((resolve) => answer.once("close", resolve));
  const { statusCode: status, headers } = answer;
  let text = "";
  return {
    status,
    headers,
    answer,
    ended,
    async read(wanted) {
      answer.on("data", (bytes: Buffer) => (text += bytes.toString()));
      while (!text.includes(wanted)) await once(answer, "data");
      answer.removeAllListeners("data");
      return text;
    },
  };
}
