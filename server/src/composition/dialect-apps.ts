import { findAccount } from "#accounts/store/accounts.ts";
import { scheduleTimer } from "#apps/schedule.ts";
import type { Context } from "#context.ts";
import { DEVICES_MAX } from "#devices/device.ts";
import { listDevices } from "#devices/store/devices.ts";
import type { AppOwner, DialectDeps } from "#dialects/dialect.ts";
import { AppError } from "#errors.ts";
import { countSentToday } from "#notifications/activity/count-sent-today.ts";
import type { Rooms } from "./rooms.ts";

/** Returns the dependencies of the routes of connected apps. */
export function createDialectApps({
  context,
  apps,
  appSignIn,
  appPairing,
}: Pick<Rooms, "context" | "apps" | "appSignIn" | "appPairing">): Pick<
  DialectDeps,
  "appSignIn" | "appStreams" | "appPairing" | "findAppOwner" | "listOwnDevices" | "schedule"
> {
  return {
    appSignIn,
    appPairing,
    schedule: scheduleTimer,
    listOwnDevices: (accountId) =>
      listDevices(context, { accountId, after: null, limit: DEVICES_MAX }),
    appStreams: apps.streams,
    findAppOwner: (accountId) => findAppOwner(context, accountId),
  };
}

/** Throws `unauthenticated` if the account was deleted meanwhile. */
async function findAppOwner(context: Context, accountId: string): Promise<AppOwner> {
  const account = await findAccount(context, accountId);
  if (account === null) throw new AppError("unauthenticated", "This account was deleted.");
  return { email: account.email, sentTodayCount: await countSentToday(context, accountId) };
}
