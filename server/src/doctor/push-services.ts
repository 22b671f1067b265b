import { Agent } from "undici";
import type { Config } from "#config/config.ts";
import { createGuardedConnector } from "#providers/webpush/address-guard.ts";
import type { WebPushSettings } from "#providers/webpush/webpush.ts";
import { probe, type ProbeResult } from "./probe.ts";
import { fail, ok, type Verdict } from "./finding.ts";

/** The connection settings for push services, which equal the server's own. */
export interface PushServicesOptions {
  readonly config: Pick<Config, "webPush">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly webPush?: Pick<WebPushSettings, "resolve" | "isDenied" | "ca" | "connect"> | undefined;
}

/** A browser's push service, with its response. */
export interface ProbedService {
  readonly host: string;
  readonly outcome: ProbeResult;
  /** The time halfway between request and response, in milliseconds since the epoch. */
  readonly at: number;
}

/** The push services of Chrome, Safari and Firefox. Each uses one host name for all subscriptions. */
const PUSH_SERVICE_HOSTS: readonly string[] = [
  "fcm.googleapis.com",
  "web.push.apple.com",
  "updates.push.services.mozilla.com",
];

/** Requests the root of each push service. Any response proves that the service is reachable. */
export async function probePushServices({
  config,
  now,
  webPush = {},
}: PushServicesOptions): Promise<readonly ProbedService[]> {
  const dispatcher = new Agent({
    connect: webPush.connect ?? createGuardedConnector({ policy: config.webPush, ...webPush }),
    allowH2: true,
    connections: 1,
  });
  try {
    return await Promise.all(
      PUSH_SERVICE_HOSTS.map(async (host) => {
        const sentAt = now();
        const outcome = await probe(dispatcher, new URL(`https://${host}/`));
        return { host, outcome, at: (sentAt + now()) / 2 };
      }),
    );
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns whether all push services can be reached. */
export function assessReach(services: readonly ProbedService[]): Verdict {
  const silent = services.flatMap(({ host, outcome }) =>
    outcome.kind === "silent" ? [{ host, fault: outcome.fault }] : [],
  );
  if (silent.length === 0) {
    return ok(`This server reaches ${formatList(services.map(({ host }) => host))}.`);
  }
  const hosts = formatList(silent.map(({ host }) => host));
  const reasons = new Set(silent.map(({ fault }) => fault.code ?? fault.kind));
  const isName = silent.every(({ fault }) => fault.kind === "unknown name");
  return fail(
    `This server does not reach ${hosts} (${[...reasons].join(", ")}).`,
    isName
      ? "Correct the name servers of this machine (/etc/resolv.conf)."
      : `Let this server open connections to port 443 of ${hosts}.`,
  );
}

function formatList(hosts: readonly string[]): string {
  const last = hosts.slice(-1).join("");
  return hosts.length < 2 ? last : `${hosts.slice(0, -1).join(", ")} and ${last}`;
}
