import { since, type Actor } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { AppError, type ErrorCode } from "#errors.ts";
import { createLimit, networkOf } from "./limit.ts";
import type { SignInMethod } from "./sign-in-event.ts";

/** A sign-in that failed because of the caller. */
export interface FailedSignIn {
  readonly method: SignInMethod;
  /** As `strangerAt` returns it. */
  readonly from: Actor;
  /** The account of the sign-in; null if unknown. */
  readonly accountId: string | null;
}

/** Records failed sign-ins in the audit log, within limits, so that they cannot fill the disk. */
export interface FailedSignInLog {
  record(failed: FailedSignIn): Promise<void>;
}

/** Limit per network, so that one network does not use up the limit of the others. */
const NETWORK_RATE = { name: "recorded failed sign-in", burst: 10, perHour: 10 };
/** Limit in total: half a million events within the retention of one year. */
const TOTAL_RATE = { name: "recorded failed sign-ins", burst: 100, perHour: 60 };

/**
 * Creates the log of failed sign-ins. Beyond its limits they are only counted, and the next event contains the count.
 */
export function createFailedSignInLog(context: Context): FailedSignInLog {
  const perNetwork = createLimit(context, NETWORK_RATE);
  const total = createLimit(context, TOTAL_RATE);
  let unrecorded = 0;
  return {
    async record({ method, from, accountId }) {
      try {
        await perNetwork.take(networkOf(from.address ?? ""));
        await total.take("");
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
        unrecorded += 1;
        return;
      }
      const count = unrecorded;
      unrecorded = 0;
      const changes = [
        since("method", method),
        ...(count === 0 ? [] : [since("unrecorded", String(count))]),
      ];
      const event = { action: "sign_in_failed", actor: from, accountId, changes } as const;
      await context.database.atomically([auditInsert(context, event)]);
    },
  };
}

/** Returns the result of `attempt`. Records a failure with one of the codes. */
export async function recordFailure<T>(
  failed: FailedSignInLog,
  failure: Omit<FailedSignIn, "accountId"> & {
    readonly codes: readonly ErrorCode[];
    /** Called after the attempt has failed. */
    readonly accountId?: () => Promise<string | null>;
  },
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AppError && failure.codes.includes(error.code)) {
      const { method, from } = failure;
      const accountId = (await failure.accountId?.()) ?? null;
      await failed.record({ method, from, accountId });
    }
    throw error;
  }
}
