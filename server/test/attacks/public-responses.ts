import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { TestContext } from "node:test";
import { startApp } from "../support/app.ts";
import { send } from "../contract/http-requests.ts";

/** Diagnostics channel of Fastify, which announces every server before it has routes. */
const CHANNEL = "fastify.initialization";

/** A response that needs no credentials. */
export interface PublicResponse {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Returns the path of every GET route of the server, in the OpenAPI document or not. */
export async function listGetPaths(t: TestContext): Promise<readonly string[]> {
  const paths = new Set<string>();
  const recordRoutes = (message: unknown) => {
    // Fastify's reference defines this message.
    const { fastify } = message as { readonly fastify: Routes };
    fastify.addHook("onRoute", ({ method, url }) => {
      if ([method].flat().includes("GET")) paths.add(url.replaceAll(/:\w+|\*/g, "x"));
    });
  };
  subscribe(CHANNEL, recordRoutes);
  try {
    await startApp(t, { isSingleProcess: true });
  } finally {
    unsubscribe(CHANNEL, recordRoutes);
  }
  return [...paths];
}

interface Routes {
  addHook(name: "onRoute", hook: (route: Route) => void): void;
}

interface Route {
  readonly method: string | string[];
  readonly url: string;
}

/** Returns the public responses among the paths, largest first. */
export async function fetchPublicResponses(
  url: string,
  paths: readonly string[],
): Promise<readonly PublicResponse[]> {
  const responses = [];
  for (const path of paths) {
    const { status, text } = await send(url, { path });
    if (status === 200) responses.push({ path, sizeBytes: Buffer.byteLength(text) });
  }
  return responses.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
}
