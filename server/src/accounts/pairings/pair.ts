import { strangerAt } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { hashSecret, newSecret } from "#secret.ts";
import type { Auth, Signed } from "../auth.ts";
import type { Caller } from "../caller.ts";
import { noteFailure, type FailedSignIns } from "../failed-sign-ins.ts";
import { countFailures, networkOf, type Limit } from "../limit.ts";
import type { Codes } from "./code.ts";
import { insertPairedSession, insertPairing, usePairing } from "./store.ts";

/** Pairings with a code that an account may have at a time: a new one takes the place of the oldest. */
export const PAIRINGS_MAX = 10;
const LIFE_MS = 10 * 60_000;
/** Putting an app on the Home Screen takes a while, and a person may be called away. */
const INSTALL_LIFE_MS = 60 * 60_000;

/** What pairing depends on. */
export interface PairDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "openSession">;
  readonly codes: Codes;
  readonly failed: FailedSignIns;
  /** Tries that failed, by network. */
  readonly failures: Limit;
  /** Wrong codes of all networks together: a code has 40 bits, so guessing must stay slow for everybody. */
  readonly wrongCodes: Limit;
}

/** A pairing that was just made; its secrets are told this once. */
export interface NewPairingSecrets {
  readonly id: string;
  readonly token: string;
  readonly code: string;
  readonly expiresAt: number;
}

/** What somebody brings who wants in: the token of a link, or the code that stands beside it. */
export type PairingProof = { readonly token: string } | { readonly code: string };

/** Makes what lets one more browser into the account, for ten minutes and once. */
export async function beginPairing(
  { context, codes }: Pick<PairDeps, "context" | "codes">,
  owner: { readonly accountId: string; readonly sessionId: string; readonly by: Actor },
): Promise<NewPairingSecrets> {
  const [id, token, code] = [context.newId(), newSecret(), codes.create()];
  const expiresAt = context.now() + LIFE_MS;
  await insertPairing(context, {
    ...owner,
    id,
    tokenHash: hashSecret(token),
    codeHash: codes.hashOf(code),
    expiresAt,
    most: PAIRINGS_MAX,
  });
  return { id, token, code, expiresAt };
}

/**
 * Opens a session for who holds a pairing. Whoever came by the first also gets a token for the app that they may put on the
 * Home Screen, whose storage is its own. Throws `expired` where the pairing is over or never was.
 */
export async function pair(
  deps: PairDeps,
  { proof, caller }: { readonly proof: PairingProof; readonly caller: Caller },
): Promise<Signed & { readonly installToken: string | null }> {
  const network = networkOf(caller.ip);
  const { accountId, isFirst } = await countFailures(
    { failures: deps.failures, key: network },
    () =>
      noteFailure(
        deps.failed,
        { method: "pairing", from: strangerAt(caller), codes: ["expired"] },
        () => ("code" in proof ? useCode(deps, proof.code) : useToken(deps, proof.token)),
      ),
  );
  const signed = await deps.auth.openSession(accountId, { method: "pairing", caller });
  const installToken = isFirst ? newSecret() : null;
  await recordSession(deps, { accountId, sessionId: signed.sessionId, installToken });
  return { ...signed, installToken };
}

async function useToken({ context }: PairDeps, token: string) {
  return known(await usePairing(context, { column: "token_hash", hash: hashSecret(token) }));
}

function useCode({ context, codes, wrongCodes }: PairDeps, text: string) {
  return countFailures({ failures: wrongCodes, key: "" }, async () => {
    const hash = codes.hashOf(text);
    return known(hash === null ? null : await usePairing(context, { column: "code_hash", hash }));
  });
}

function known<Found>(found: Found | null): Found {
  if (found !== null) return found;
  throw new AppError("expired", "This is not valid, was used, or is too old. Make a new code.");
}

async function recordSession(
  { context }: PairDeps,
  input: {
    readonly accountId: string;
    readonly sessionId: string;
    readonly installToken: string | null;
  },
): Promise<void> {
  const { accountId, sessionId, installToken } = input;
  const next =
    installToken === null
      ? null
      : {
          id: context.newId(),
          accountId,
          sessionId,
          tokenHash: hashSecret(installToken),
          codeHash: null,
          expiresAt: context.now() + INSTALL_LIFE_MS,
        };
  await insertPairedSession(context, { sessionId, next });
}
