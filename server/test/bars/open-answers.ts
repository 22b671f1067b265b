import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { TestContext } from "node:test";
import { startApp } from "../support/app.ts";
import { send } from "../contract/ask.ts";

/** Where Fastify tells of every server that it makes, before the server has any route. */
const CHANNEL = "fastify.initialization";

/** Answers that are public. */
export interface OpenAnswer {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Returns the address of every route of the whole server that answers GET, in the OpenAPI document or not. */
export async function readablePaths(t: TestContext): Promise<readonly string[]> {
  const paths = new Set<string>();
  const watch = (message: unknown) => {
    // As Fastify's reference says of this channel.
    const { fastify } = message as { readonly fastify: Routes };
    fastify.addHook("onRoute", ({ method, url }) => {
      if ([method].flat().includes("GET")) paths.add(url.replaceAll(/:\w+|\*/g, "x"));
    });
  };
  subscribe(CHANNEL, watch);
  try {
    await startApp(t, { isOneProcess: true });
  } finally {
    unsubscribe(CHANNEL, watch);
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

/** Returns which of them answer who has no key and no session, the largest first. */
export async function openAnswers(
  url: string,
  paths: readonly string[],
): Promise<readonly OpenAnswer[]> {
  const answers = [];
  for (const path of paths) {
    const { status, text } = await send(url, { path });
    if (status === 200) answers.push({ path, sizeBytes: Buffer.byteLength(text) });
  }
  return answers.toSorted((one, other) => other.sizeBytes - one.sizeBytes);
}
