import { Agent } from "undici";
import type { Config } from "#config/config.ts";
import { createGuardedConnector } from "#providers/webpush/address-guard.ts";
import type { WebPushSettings } from "#providers/webpush/webpush.ts";
import { ask, type AskResult } from "./ask.ts";
import { fail, ok, type Verdict } from "./finding.ts";

/** The way to reach push services: the same as the server's own. */
export interface PushServicesQuestion {
  readonly config: Pick<Config, "webPush">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly webPush?: Pick<WebPushSettings, "resolve" | "isDenied" | "ca" | "connect"> | undefined;
}

/** A browser maker's push service, with its answer. */
export interface AskedService {
  readonly host: string;
  readonly asked: AskResult;
  /** Milliseconds since the epoch: halfway between request and answer. */
  readonly at: number;
}

/** The push services of Chrome, Safari and Firefox; all subscriptions of each share one host name. */
const PUSH_SERVICE_HOSTS: readonly string[] = [
  "fcm.googleapis.com",
  "web.push.apple.com",
  "updates.push.services.mozilla.com",
];

/** Requests each push service's front page: any answer at all shows that it is reachable. */
export async function askPushServices({
  config,
  now,
  webPush = {},
}: PushServicesQuestion): Promise<readonly AskedService[]> {
  const dispatcher = new Agent({
    connect: webPush.connect ?? createGuardedConnector({ policy: config.webPush, ...webPush }),
    allowH2: true,
    connections: 1,
  });
  try {
    return await Promise.all(
      PUSH_SERVICE_HOSTS.map(async (host) => {
        const askedAt = now();
        const asked = await ask(dispatcher, new URL(`https://${host}/`));
        return { host, asked, at: (askedAt + now()) / 2 };
      }),
    );
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns which push services can be reached. */
export function judgeReach(services: readonly AskedService[]): Verdict {
  const silent = services.flatMap(({ host, asked }) =>
    asked.kind === "silent" ? [{ host, fault: asked.fault }] : [],
  );
  if (silent.length === 0) {
    return ok(`This server reaches ${listOf(services.map(({ host }) => host))}.`);
  }
  const hosts = listOf(silent.map(({ host }) => host));
  const reasons = new Set(silent.map(({ fault }) => fault.code ?? fault.kind));
  const isName = silent.every(({ fault }) => fault.kind === "unknown name");
  return fail(
    `This server does not reach ${hosts} (${[...reasons].join(", ")}).`,
    isName
      ? "Correct the name servers of this machine (/etc/resolv.conf)."
      : `Let this server open connections to port 443 of ${hosts}.`,
  );
}

function listOf(hosts: readonly string[]): string {
  const last = hosts.slice(-1).join("");
  return hosts.length < 2 ? last : `${hosts.slice(0, -1).join(", ")} and ${last}`;
}
