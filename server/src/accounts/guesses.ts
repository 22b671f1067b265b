import type { Context } from "#context.ts";
import { countFailures, createAttemptLimit, type AttemptLimit } from "./attempt-limit.ts";

/** The keys for counting wrong passwords or codes of a caller. */
export interface GuessKeys {
  /**
   * The account id, or the email address if it has no account. Both are limited, so that the responses do not reveal
   * which.
   */
  readonly accountKey: string;
  /** A browser or session that has proved its identity before; null for strangers. */
  readonly knownCaller: string | null;
  /** Null if the network is not counted. */
  readonly network: string | null;
}

/** The limits of wrong passwords, or of wrong codes. */
export interface GuessLimits {
  /** Per account, over all strangers. */
  readonly byAccount: AttemptLimit;
  /** Per known browser or session. */
  readonly byKnownCaller: AttemptLimit;
  /** Per network, over all accounts. */
  readonly byNetwork: AttemptLimit;
}

/**
 * Number of counters that addresses and accounts share, by hash. An attacker who tries many of them can neither fill
 * the memory or the table nor evict a counter. Two keys with the same counter share its attempts.
 */
const SHARED_COUNTER_COUNT = 65_536;

/**
 * Wrong passwords of strangers, over all networks: 20, then one in ten minutes, which is 52,600 a year. After the
 * guessing has stopped, an unknown browser waits at most ten minutes.
 */
const PASSWORD_RATE = {
  name: "password of an account",
  burst: 20,
  perHour: 6,
  counterCount: SHARED_COUNTER_COUNT,
};
/** A known browser has signed in with the current password, so this limits only typing errors. */
const KNOWN_PASSWORD_RATE = { name: "password in a known browser", burst: 10, perHour: 60 };
/**
 * Wrong codes of callers who know the password, over all networks. Three of a million codes are valid at a time, so a
 * year of continuous guessing (8,800 codes) succeeds with a probability of 2.6 %.
 */
const CODE_RATE = {
  name: "code of an account",
  burst: 10,
  perHour: 1,
  counterCount: SHARED_COUNTER_COUNT,
};
const KNOWN_CODE_RATE = { name: "code in a known browser", burst: 10, perHour: 10 };

/** Returns the limits of wrong passwords. */
export function createPasswordGuessLimits(context: Context, byNetwork: AttemptLimit): GuessLimits {
  return {
    byAccount: createAttemptLimit(context, PASSWORD_RATE),
    byKnownCaller: createAttemptLimit(context, KNOWN_PASSWORD_RATE),
    byNetwork,
  };
}

/** Returns the limits of wrong codes of authenticator apps. */
export function createCodeGuessLimits(context: Context, byNetwork: AttemptLimit): GuessLimits {
  return {
    byAccount: createAttemptLimit(context, CODE_RATE),
    byKnownCaller: createAttemptLimit(context, KNOWN_CODE_RATE),
    byNetwork,
  };
}

/**
 * Returns the result of `attempt`, and counts its failure: for a known caller per browser or session, for strangers per
 * network and per account. Throws `rate_limited` before any comparison.
 */
export async function countGuess<T>(
  limits: GuessLimits,
  { accountKey, knownCaller, network }: GuessKeys,
  attempt: () => Promise<T>,
): Promise<T> {
  if (knownCaller !== null)
    return countFailures({ limit: limits.byKnownCaller, key: knownCaller }, attempt);
  const byAccount = () => countFailures({ limit: limits.byAccount, key: accountKey }, attempt);
  if (network === null) return byAccount();
  return countFailures({ limit: limits.byNetwork, key: network }, byAccount);
}
