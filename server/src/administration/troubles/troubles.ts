import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { problemOf } from "#delivery/explain.ts";
import { providerOf } from "#delivery/services/service-records.ts";
import type { ServiceTrouble } from "#delivery/services/service-troubles.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { listDevices } from "#devices/store/devices.ts";
import type { Finding } from "#doctor/finding.ts";
import { timestamp } from "#schema/moment.ts";

/** The dependencies of the list of service problems. */
export interface TroublesDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "troubles" | "serviceOf">;
  /** Returns whether a Web Push host was named by a vendor or the operator. */
  readonly isNamedHost: (host: string) => boolean;
}

/** Push services throttle this server many times a day. Only throttling that lasts this long is reported. */
const THROTTLED_MS = 60_000;

/**
 * Returns the service problems that concern an account: problems with the services of its devices, and for an
 * administrator all problems with services that a vendor or the operator named. Queries the database only if there is a
 * problem.
 */
export async function troublesFor(
  deps: TroublesDeps,
  { accountId, isAdmin }: { readonly accountId: string; readonly isAdmin: boolean },
) {
  const troubles = reportableTroubles(deps);
  if (troubles.length === 0) return [];
  const ownDevices = await countOwnByService(deps, accountId);
  return troubles.flatMap(({ service, hold }) => {
    const ownDeviceCount = ownDevices.get(service) ?? 0;
    const isReported = ownDeviceCount > 0 || (isAdmin && isOfServer(deps, service));
    if (!isReported) return [];
    const since = timestamp(hold.since);
    return [{ provider: providerOf(service), service, cause: hold.cause, since, ownDeviceCount }];
  });
}

/** Returns the findings about push services for the health page. */
export function troubleFindings(deps: TroublesDeps): readonly Finding[] {
  const troubles = reportableTroubles(deps).filter(({ service }) => isOfServer(deps, service));
  const subject = "push services";
  if (troubles.length === 0) {
    return [{ subject, status: "ok", message: "No push service has problems.", mend: null }];
  }
  return troubles.map(({ service, hold: { cause, reason, since } }) => ({
    subject,
    status: cause === "credentials" ? "fail" : "warn",
    message: `${service}, since ${formatMinute(since)}: ${problemOf({ provider: providerOf(service), ...reason })} Its notifications are kept and sent late.`,
    mend:
      cause === "credentials"
        ? "Open Push services to see and check the settings."
        : "Waiting notifications are sent automatically when the service accepts them again.",
  }));
}

/** Formats a time to the minute, which is precise enough for that page. */
function formatMinute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function reportableTroubles({ context, delivery }: TroublesDeps): readonly ServiceTrouble[] {
  const now = context.now();
  return delivery.troubles
    .all()
    .filter(({ hold }) => hold.cause !== "throttled" || now - hold.since >= THROTTLED_MS);
}

async function countOwnByService({ context, delivery }: TroublesDeps, accountId: string) {
  const devices = await listDevices(context, { accountId, after: null, limit: DEVICES_MAX });
  const counts = new Map<string, number>();
  for (const { address, pausedAt } of devices) {
    const service = pausedAt === null ? delivery.serviceOf(address) : null;
    if (service !== null) counts.set(service, (counts.get(service) ?? 0) + 1);
  }
  return counts;
}

/**
 * If any host is allowed, a caller may register a browser with a host that never responds. Only that account sees the
 * problem.
 */
function isOfServer({ isNamedHost }: TroublesDeps, service: string): boolean {
  const [provider, host] = service.split(" ");
  return provider !== "webpush" || host === undefined || isNamedHost(host);
}
