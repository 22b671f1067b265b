import type { Context } from "#context.ts";
import { countFailures, createLimit, type Limit } from "./limit.ts";

/** Whoever gives a password or a code, by what their wrong ones are counted with. */
export interface Guesser {
  /** The account's id, or the address where it has none: both are limited, so that nobody learns which. */
  readonly account: string;
  /** A browser or session that proved before to be the account's; null for strangers. */
  readonly known: string | null;
  /** Null where no network is counted. */
  readonly network: string | null;
}

/** The limits of wrong passwords, or of wrong codes. */
export interface Guesses {
  /** By account: of all strangers together. */
  readonly byAccount: Limit;
  /** By browser that is known. */
  readonly byKnown: Limit;
  readonly byNetwork: Limit;
}

/**
 * Addresses and accounts share so many counters, by their hash: whoever tries others can neither fill the memory (or the
 * table) nor push a counter out. Two that share one also share its tries.
 */
const COUNTERS = 65_536;

/**
 * Wrong passwords of strangers, of all networks together: 20 and then one in ten minutes, which is 52,600 in a year. A browser
 * that is not known waits ten minutes at most once the guessing has stopped.
 */
const PASSWORD_RATE = { name: "password of an account", burst: 20, perHour: 6, counters: COUNTERS };
/** A browser that is known was let in by the present password: this is about typing. */
const KNOWN_PASSWORD_RATE = { name: "password in a known browser", burst: 10, perHour: 60 };
/**
 * Wrong codes of who knows the password, of all networks together. Of a million codes three count at a time, so in a year of
 * guessing without pause (8,800 codes) one is right with a probability of 2.6 %.
 */
const CODE_RATE = { name: "code of an account", burst: 10, perHour: 1, counters: COUNTERS };
const KNOWN_CODE_RATE = { name: "code in a known browser", burst: 10, perHour: 10 };

/** Returns the limits of wrong passwords. */
export function createPasswordGuesses(context: Context, byNetwork: Limit): Guesses {
  return {
    byAccount: createLimit(context, PASSWORD_RATE),
    byKnown: createLimit(context, KNOWN_PASSWORD_RATE),
    byNetwork,
  };
}

/** Returns the limits of wrong codes of authenticator apps. */
export function createCodeGuesses(context: Context, byNetwork: Limit): Guesses {
  return {
    byAccount: createLimit(context, CODE_RATE),
    byKnown: createLimit(context, KNOWN_CODE_RATE),
    byNetwork,
  };
}

/**
 * Returns what `attempt` does, counted where it fails: of a known browser alone, of strangers by network and by account. Throws
 * `rate_limited` before anything is compared.
 */
export async function countGuess<T>(
  guesses: Guesses,
  { account, known, network }: Guesser,
  attempt: () => Promise<T>,
): Promise<T> {
  if (known !== null) return countFailures({ failures: guesses.byKnown, key: known }, attempt);
  const byAccount = () => countFailures({ failures: guesses.byAccount, key: account }, attempt);
  if (network === null) return byAccount();
  return countFailures({ failures: guesses.byNetwork, key: network }, byAccount);
}
