import { toChangedValue, type Actor } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { AppError, type ErrorCode } from "#errors.ts";
import { createAttemptLimit, toNetwork } from "./attempt-limit.ts";
import type { SignInMethod } from "./sign-in-event.ts";

/** A sign-in that failed because of the caller. */
export interface FailedSignIn {
  readonly method: SignInMethod;
  /** The actor in the form that `createUnknownActor` returns. */
  readonly actor: Actor;
  /** The account of the sign-in; null if unknown. */
  readonly accountId: string | null;
}

/** Records failed sign-ins in the audit log, within limits, so that they cannot fill the disk. */
export interface FailedSignInLog {
  /** Records the failure, or only counts it beyond the limits. */
  record(failure: FailedSignIn): Promise<void>;
}

/** Limit per network, so that one network does not use up the limit of the others. */
const NETWORK_RATE = { name: "recorded failed sign-ins per network", burst: 10, perHour: 10 };
/** Limit in total: half a million events within the retention of one year. */
const TOTAL_RATE = { name: "recorded failed sign-ins in total", burst: 100, perHour: 60 };

/**
 * Creates the log of failed sign-ins. Beyond its limits it only counts them, and the next event contains the count.
 */
export function createFailedSignInLog(context: Context): FailedSignInLog {
  const networkLimit = createAttemptLimit(context, NETWORK_RATE);
  const totalLimit = createAttemptLimit(context, TOTAL_RATE);
  let unrecordedCount = 0;
  return {
    async record({ method, actor, accountId }) {
      try {
        await networkLimit.take(toNetwork(actor.address ?? ""));
        await totalLimit.take("");
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
        unrecordedCount += 1;
        return;
      }
      const count = unrecordedCount;
      unrecordedCount = 0;
      const changes = [
        toChangedValue("method", method),
        ...(count === 0 ? [] : [toChangedValue("unrecorded", String(count))]),
      ];
      const event = { action: "sign_in_failed", actor, accountId, changes } as const;
      await context.database.atomically([insertEventQuery(context, event)]);
    },
  };
}

/** Returns the result of `attempt`. Records its failure if the error has one of the codes. */
export async function recordIfItFails<T>(
  failedSignIns: FailedSignInLog,
  failure: Omit<FailedSignIn, "accountId"> & {
    readonly codes: readonly ErrorCode[];
    /** Called after the attempt has failed. */
    readonly findAccountId?: () => Promise<string | null>;
  },
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AppError && failure.codes.includes(error.code)) {
      const { method, actor } = failure;
      const accountId = (await failure.findAccountId?.()) ?? null;
      await failedSignIns.record({ method, actor, accountId });
    }
    throw error;
  }
}
