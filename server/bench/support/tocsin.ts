import { setTimeout as wait } from "node:timers/promises";
import { TocsinError } from "@tocsin/sdk";
import { signUp, type TestPerson } from "../../test/support/app.ts";
import type { Scope } from "../../test/support/scope.ts";
import { startServerProcess, type ServerProcess } from "../../test/support/server-process.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { getTasksetPrefix, type Core } from "../cpu-pinning.ts";
import { addBrowsers } from "./add-browsers.ts";
import { SUBJECT } from "./sender-credentials.ts";
import type { SendTarget } from "./senders.ts";

/** The settings, data folder, core and code of a measured server. */
export interface TocsinOptions {
  /** `TOCSIN_…` variables in addition to those of every measurement. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The data folder of an earlier server; a new folder by default. */
  readonly dataDir?: string;
  readonly core?: Core;
  /** The code to run: the source, in which a profile names files; or the bundle, as `npm start` does. */
  readonly code?: "source" | "bundle";
}

/** A measured server and its data folder. */
export interface Tocsin extends ServerProcess {
  readonly dataDir: string;
}

/** Starts the server without its rate limit, by default on the core that the load does not use. */
export async function startTocsin(
  scope: Scope,
  { environment = {}, dataDir, core = "other", code = "source" }: TocsinOptions = {},
): Promise<Tocsin> {
  const folder = dataDir ?? (await createTemporaryFolder(scope));
  const server = await startServerProcess(scope, {
    wrapperCommand: getTasksetPrefix(core),
    flags: code === "bundle" ? ["--conditions=bundled"] : [],
    environment: {
      TOCSIN_DATA_DIR: folder,
      TOCSIN_VAPID_SUBJECT: SUBJECT,
      TOCSIN_RATE_LIMIT_PER_S: "0",
      TOCSIN_LOG_LEVEL: "warn",
      ...environment,
    },
  });
  return { ...server, dataDir: folder };
}

/** Signs up people, each with a key. Waits whenever the server limits the rate of sign-ups. */
export async function signUpMany(
  server: Pick<ServerProcess, "url">,
  count: number,
): Promise<readonly TestPerson[]> {
  const people: TestPerson[] = [];
  while (people.length < count) {
    try {
      people.push(await signUp(server, `Person${people.length}`));
    } catch (error) {
      if (!(error instanceof TocsinError) || error.retryAfterMs === null) throw error;
      await wait(error.retryAfterMs);
    }
  }
  return people;
}

/** Returns a target that sends with these people's keys. */
export function createTarget({ url, child }: Tocsin, people: readonly TestPerson[]): SendTarget {
  if (child.pid === undefined) throw new Error("The server is not running.");
  return { url, pid: child.pid, keys: people.map(({ key }) => key) };
}

/** The number of senders, and the browsers that each of them has. */
export interface SenderOptions {
  /** The push service's origin. */
  readonly origin: string;
  readonly senderCount: number;
  readonly browsersPerSender: number;
}

/** Starts the server with senders that have browsers. */
export async function startWithSenders(
  scope: Scope,
  { origin, senderCount, browsersPerSender }: SenderOptions,
): Promise<SendTarget & Pick<Tocsin, "dataDir">> {
  const environment = { TOCSIN_WEBPUSH_ALLOW_ORIGINS: origin };
  const tocsin = await startTocsin(scope, { environment });
  const people = await signUpMany(tocsin, senderCount);
  for (const person of people) await addBrowsers(person, { origin, count: browsersPerSender });
  return { ...createTarget(tocsin, people), dataDir: tocsin.dataDir };
}
