import type { Context } from "#context.ts";
import type { SignedInApp } from "./app.ts";
import type { Since, Subscription } from "./app-streams.ts";
import type { Mailbox } from "./mailbox.ts";
import { findLatestNumber, findLatestNumbers, findNumber, type Wanted } from "./store/read.ts";
import { listSubscribedChannels } from "./subscriptions.ts";

/** A request for messages from a position. */
export interface SinceRequest {
  readonly app: SignedInApp;
  readonly subscriptions: readonly Subscription[];
  readonly since: Since;
  /** As in `AppConnection`. */
  readonly isFiltered: boolean;
}

/**
 * Returns the messages that an app wants in addition to those that it is owed. If the position is a notification's id,
 * records that the app has the messages up to it.
 */
export async function resolveSince(
  { context, mailbox }: { readonly context: Context; readonly mailbox: Mailbox },
  { app: { deviceId }, subscriptions, since, isFiltered }: SinceRequest,
): Promise<Wanted> {
  switch (since.kind) {
    case "owed":
    case "none":
      return { kind: "owed" };
    case "all":
      return { kind: "all" };
    case "time":
      return { kind: "since", at: since.at };
    case "latest": {
      const channels = subscriptions.flatMap(({ channel }) => channel ?? []);
      const hasAll = channels.length < subscriptions.length;
      const latest = hasAll ? await findLatestNumber(context, deviceId) : null;
      const numbers = await findLatestNumbers(context, deviceId, channels);
      return { kind: "numbers", numbers: latest === null ? numbers : [latest, ...numbers] };
    }
    case "id": {
      const number = await findNumber(context, deviceId, since.id);
      if (number === null) return { kind: "all" };
      const channels = listSubscribedChannels(subscriptions);
      await mailbox.recordProofsUpTo({ deviceId, number, channels, isFiltered });
      return { kind: "after", number };
    }
  }
}
