import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { problemOf } from "#delivery/explain.ts";
import { providerOf } from "#delivery/services/service-records.ts";
import type { ServiceTrouble } from "#delivery/services/service-troubles.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { listDevices } from "#devices/store/devices.ts";
import type { Finding } from "#doctor/finding.ts";
import { timestamp } from "#schema/moment.ts";

/** The dependencies of listing push services in trouble. */
export interface TroublesDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "troubles" | "serviceOf">;
  /** Returns whether a vendor or the operator named a Web Push host. */
  readonly isNamedHost: (host: string) => boolean;
}

/** Push services throttle us many times a day; only throttling that lasts this long is reported. */
const THROTTLED_MS = 60_000;

/**
 * Returns the troubles that concern an account: those with the services of its own devices, and for an administrator
 * all those of services that a vendor or the operator named. Queries the database only if there are any.
 */
export async function troublesFor(
  deps: TroublesDeps,
  { accountId, isAdmin }: { readonly accountId: string; readonly isAdmin: boolean },
) {
  const troubles = worthTelling(deps);
  if (troubles.length === 0) return [];
  const own = await countOwnByService(deps, accountId);
  return troubles.flatMap(({ service, hold }) => {
    const ownDeviceCount = own.get(service) ?? 0;
    const isTold = ownDeviceCount > 0 || (isAdmin && isOfServer(deps, service));
    if (!isTold) return [];
    const since = timestamp(hold.since);
    return [{ provider: providerOf(service), service, cause: hold.cause, since, ownDeviceCount }];
  });
}

/** Returns the findings about push services on the page about the server's health. */
export function troubleFindings(deps: TroublesDeps): readonly Finding[] {
  const troubles = worthTelling(deps).filter(({ service }) => isOfServer(deps, service));
  const subject = "push services";
  if (troubles.length === 0) {
    return [{ subject, status: "ok", message: "No push service has problems.", mend: null }];
  }
  return troubles.map(({ service, hold: { cause, reason, since } }) => ({
    subject,
    status: cause === "credentials" ? "fail" : "warn",
    message: `${service}, since ${minuteOf(since)}: ${problemOf({ provider: providerOf(service), ...reason })} Its notifications are kept and sent late.`,
    mend:
      cause === "credentials"
        ? "Open Push services to see and check the settings."
        : "Waiting notifications are sent automatically when the service accepts them again.",
  }));
}

/** To the minute: nobody needs seconds on that page. */
function minuteOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function worthTelling({ context, delivery }: TroublesDeps): readonly ServiceTrouble[] {
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
 * If any host is allowed, a caller that registers a browser may name one that never answers: that is only their own
 * trouble.
 */
function isOfServer({ isNamedHost }: TroublesDeps, service: string): boolean {
  const [provider, host] = service.split(" ");
  return provider !== "webpush" || host === undefined || isNamedHost(host);
}
