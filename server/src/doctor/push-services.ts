import { Agent } from "undici";
import type { Config } from "#config/config.ts";
import { createGuardedConnector } from "#providers/address-guard.ts";
import type { WebPushDeps } from "#providers/webpush/webpush.ts";
import { probe, type ProbeResult } from "./probe.ts";
import { fail, ok, type Verdict } from "./finding.ts";

/** The server's connection settings for push services, and the clock. */
export interface PushServicesOptions {
  readonly config: Pick<Config, "webPush">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly webPush?: Pick<WebPushDeps, "resolve" | "isDenied" | "ca" | "connect"> | undefined;
}

/** A browser's push service, with the result of its probe. */
export interface ProbedService {
  readonly host: string;
  readonly result: ProbeResult;
  /** The time halfway between request and response, in milliseconds since the epoch. */
  readonly probedAt: number;
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
        const result = await probe(dispatcher, new URL(`https://${host}/`));
        return { host, result, probedAt: (sentAt + now()) / 2 };
      }),
    );
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns the verdict on the probes: ok if every push service responded. */
export function assessReachability(services: readonly ProbedService[]): Verdict {
  const unreachableServices = services.flatMap(({ host, result }) =>
    result.kind === "silent" ? [{ host, fault: result.fault }] : [],
  );
  if (unreachableServices.length === 0) {
    return ok(`This server can reach ${formatList(services.map(({ host }) => host))}.`);
  }
  const hosts = formatList(unreachableServices.map(({ host }) => host));
  const reasons = new Set(unreachableServices.map(({ fault }) => fault.code ?? fault.kind));
  const isNameProblem = unreachableServices.every(({ fault }) => fault.kind === "unknown name");
  return fail(
    `This server cannot reach ${hosts} (${[...reasons].join(", ")}).`,
    isNameProblem
      ? "Correct the name servers of this machine (/etc/resolv.conf)."
      : `Allow outgoing connections from this server to port 443 of ${hosts}.`,
  );
}

function formatList(hosts: readonly string[]): string {
  const lastHost = hosts.slice(-1).join("");
  return hosts.length < 2 ? lastHost : `${hosts.slice(0, -1).join(", ")} and ${lastHost}`;
}
