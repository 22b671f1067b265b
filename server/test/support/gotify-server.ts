import type { TestContext } from "node:test";
import { registerDialects } from "#dialects/register.ts";
import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import { createRoomContext, startTestServer } from "./context.ts";
import { MemoryApps } from "./memory-apps.ts";

/** The API key of the server. */
export const API_KEY = "0f8a2c1e-5b7d-4c3e-9a1b-2c3d4e5f6a7b";
/** A code that adds one app. */
export const CODE = "ABCDE23456";
/** The delay of the only timer that the server sets. */
const EXPECTED_TIMER_MS = 2_000;
const ANN = { id: "01998ac5-7c00-7abc-8def-0123456789ab", email: "ann@example.org" };

/**
 * Starts a server that speaks only Gotify, and whose only app has its mailbox in memory. Timers run when the test says
 * so.
 */
export async function startGotifyServer(t: TestContext) {
  const context = await createRoomContext(t);
  const apps = new MemoryApps();
  const timers: (() => void)[] = [];
  const codes = new Set([CODE]);
  const wrongKeyAddresses: string[] = [];
  let server: Server | null = null;
  const findOwner = async ({ email, code }: { readonly email: string; readonly code: string }) => {
    if (email !== ANN.email || !codes.has(code)) throw new AppError("expired", "Wrong code.");
    return { accountId: ANN.id };
  };
  const deps = {
    dialects: ["gotify"],
    context,
    appSignIn: apps,
    appStreams: apps,
    baseUrl: "https://push.example.org",
    rateLimit: { take: () => {} },
    findAppOwner: async () => ({ email: ANN.email, sentTodayCount: 3 }),
    appPairing: {
      check: findOwner,
      async use(proof: Parameters<typeof findOwner>[0]) {
        const owner = await findOwner(proof);
        codes.delete(proof.code);
        return owner;
      },
    },
    schedule(ms: number, run: () => void) {
      if (ms !== EXPECTED_TIMER_MS) throw new Error(`A timer of ${ms} ms is unexpected.`);
      timers.push(run);
      return () => void timers.splice(timers.indexOf(run), 1);
    },
    findSender: async (key: string) => (key === API_KEY ? {} : null),
    countWrongKey: async (ip: string) => void wrongKeyAddresses.push(ip),
  };
  const url = await startTestServer(t, context, (startedServer) => {
    server = startedServer;
    // Routes of apps use no other dependencies.
    registerDialects(startedServer, deps as unknown as Parameters<typeof registerDialects>[1]);
  });
  const close = async () => {
    await server?.close();
  };
  /** Resolves with the server's number of connections. */
  const countConnections = () =>
    new Promise<number>((resolve) => {
      server?.server.getConnections((_error, count) => resolve(count));
    });
  return { context, apps, timers, url, close, countConnections, wrongKeyAddresses };
}
