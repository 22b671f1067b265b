import { since, type Actor } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import { AppError, type ErrorCode } from "#errors.ts";
import { createLimit, networkOf } from "./limit.ts";
import type { SignInMethod } from "./sign-in-event.ts";

/** A sign-in that failed through the fault of the caller. */
export interface FailedSignIn {
  readonly method: SignInMethod;
  /** As `strangerAt` returns it. */
  readonly from: Actor;
  /** The account that the sign-in was for; null if unknown. */
  readonly accountId: string | null;
}

/** Records failed sign-ins in the audit log, within limits, so that nobody can fill the disk with them. */
export interface FailedSignIns {
  note(failed: FailedSignIn): Promise<void>;
}

/** By network, so that one that guesses does not use up the allowance of the others. */
const NETWORK_RATE = { name: "recorded failed sign-in", burst: 10, perHour: 10 };
/** In total: half a million events in the year that they are kept. */
const WHOLE_RATE = { name: "recorded failed sign-ins", burst: 100, perHour: 60 };

/**
 * Returns the recorder of failed sign-ins; beyond its limits they are only counted, and the next event carries the
 * count.
 */
export function createFailedSignIns(context: Context): FailedSignIns {
  const byNetwork = createLimit(context, NETWORK_RATE);
  const inAll = createLimit(context, WHOLE_RATE);
  let unrecorded = 0;
  return {
    async note({ method, from, accountId }) {
      try {
        await byNetwork.take(networkOf(from.address ?? ""));
        await inAll.take("");
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
        unrecorded += 1;
        return;
      }
      const left = unrecorded;
      unrecorded = 0;
      const changes = [
        since("method", method),
        ...(left === 0 ? [] : [since("unrecorded", String(left))]),
      ];
      const event = { action: "sign_in_failed", by: from, accountId, changes } as const;
      await context.database.atomically([auditInsert(context, event)]);
    },
  };
}

/** Returns the result of `attempt`, and records its failure if it has one of the codes. */
export async function noteFailure<T>(
  failed: FailedSignIns,
  tried: Omit<FailedSignIn, "accountId"> & {
    readonly codes: readonly ErrorCode[];
    /** Called once the attempt has failed. */
    readonly accountId?: () => Promise<string | null>;
  },
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AppError && tried.codes.includes(error.code)) {
      const { method, from } = tried;
      const accountId = (await tried.accountId?.()) ?? null;
      await failed.note({ method, from, accountId });
    }
    throw error;
  }
}
