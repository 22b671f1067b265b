import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { explainCode } from "#delivery/explain.ts";
import { parseProvider, parseServiceHost } from "#delivery/services/service-records.ts";
import type { ServiceTrouble } from "#delivery/services/service-troubles.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { listDevices } from "#devices/store/devices.ts";
import type { Finding } from "#doctor/finding.ts";
import { formatTimestamp } from "#schema/timestamp.ts";

/** The dependencies of the list of service troubles. */
export interface TroublesDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "troubles" | "findService">;
  /** Returns whether a Web Push host belongs to a browser vendor or was listed by the operator. */
  readonly isListedHost: (host: string) => boolean;
}

/** Push services throttle this server many times a day. Only throttling that lasts this long is reported. */
const THROTTLED_MIN_MS = 60_000;

/**
 * Returns the service troubles that concern an account: troubles of the services of its devices, and for an
 * administrator also those of every listed service. Queries the database only if there are any.
 */
export async function listTroubles(
  deps: TroublesDeps,
  { accountId, isAdmin }: { readonly accountId: string; readonly isAdmin: boolean },
) {
  const troubles = listReportableTroubles(deps);
  if (troubles.length === 0) return [];
  const ownDeviceCounts = await countOwnDevicesByService(deps, accountId);
  return troubles.flatMap(({ service, hold: { cause, since } }) => {
    const ownDeviceCount = ownDeviceCounts.get(service) ?? 0;
    const isReported = ownDeviceCount > 0 || (isAdmin && isListedService(deps, service));
    if (!isReported) return [];
    const provider = parseProvider(service);
    return [{ provider, service, cause, since: formatTimestamp(since), ownDeviceCount }];
  });
}

/** Returns the findings of the health page about service troubles. */
export function createTroubleFindings(deps: TroublesDeps): readonly Finding[] {
  const troubles = listReportableTroubles(deps).filter(({ service }) =>
    isListedService(deps, service),
  );
  const subject = "push services";
  if (troubles.length === 0) {
    return [{ subject, status: "ok", message: "No push service has problems.", mend: null }];
  }
  return troubles.map(({ service, hold: { cause, reason, since } }) => ({
    subject,
    status: cause === "credentials" ? "fail" : "warn",
    message: `${service}, since ${formatMinute(since)}: ${explainCode({ provider: parseProvider(service), ...reason })} Notifications to it are kept and sent later.`,
    mend:
      cause === "credentials"
        ? "Open Push services to see and check the settings."
        : "Waiting notifications are sent automatically when the service accepts them again.",
  }));
}

/** Formats a time to the minute, which is precise enough for the health page. */
function formatMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function listReportableTroubles({ context, delivery }: TroublesDeps): readonly ServiceTrouble[] {
  const now = context.now();
  return delivery.troubles
    .listAll()
    .filter(
      ({ hold: { cause, since } }) => cause !== "throttled" || now - since >= THROTTLED_MIN_MS,
    );
}

async function countOwnDevicesByService({ context, delivery }: TroublesDeps, accountId: string) {
  const devices = await listDevices(context, { accountId, after: null, limit: DEVICES_MAX });
  const counts = new Map<string, number>();
  for (const { address, pausedAt } of devices) {
    const service = pausedAt === null ? delivery.findService(address) : null;
    if (service !== null) counts.set(service, (counts.get(service) ?? 0) + 1);
  }
  return counts;
}

/**
 * Returns whether the service belongs to a vendor or was listed by the operator. Without this condition, if a server
 * allows any host, one caller could alarm its administrators by registering a browser whose host never responds.
 */
function isListedService({ isListedHost }: TroublesDeps, service: string): boolean {
  if (parseProvider(service) !== "webpush") return true;
  const host = parseServiceHost(service);
  return host === null || isListedHost(host);
}
