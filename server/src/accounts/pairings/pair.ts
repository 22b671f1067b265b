import { createUnknownActor } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { hashToken, newToken } from "#token.ts";
import type { Auth, SessionWithCookies } from "../auth.ts";
import type { Caller } from "../caller.ts";
import { recordIfItFails, type FailedSignInLog } from "../failed-sign-in-log.ts";
import { countFailures, toNetwork, type AttemptLimit } from "../attempt-limit.ts";
import type { PairingCodes } from "./codes.ts";
import { insertPairedSession, insertPairing, spendPairing } from "./store.ts";

/** Maximum number of pairings with a code per account. A new one replaces the oldest. */
export const PAIRINGS_MAX = 10;
const PAIRING_TTL_MS = 10 * 60_000;
/** Lifetime of an install token. Adding an app to the Home Screen takes a while. */
const INSTALL_TOKEN_TTL_MS = 60 * 60_000;

/** Limit per network: five wrong codes, then one every twelve seconds. */
export const WRONG_CODE_RATE = { name: "failed pairing", burst: 5, perHour: 300 };

/** The dependencies of pairing. */
export interface PairDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "openSession">;
  readonly codes: PairingCodes;
  readonly failedSignIns: FailedSignInLog;
  /** Limits wrong codes per network. */
  readonly wrongCodeLimit: AttemptLimit;
}

/** A new pairing, with its secrets, which cannot be read again. */
export interface NewPairingSecrets {
  readonly id: string;
  readonly token: string;
  readonly code: string;
  readonly expiresAt: number;
}

/** The proof that a new browser presents: the token of a pairing's link, or the code of the pairing. */
export type PairingProof = { readonly token: string } | { readonly code: string };

/** Creates a pairing, which adds one more browser to the account, once and within ten minutes. */
export async function createPairing(
  { context, codes }: Pick<PairDeps, "context" | "codes">,
  owner: { readonly accountId: string; readonly sessionId: string; readonly actor: Actor },
): Promise<NewPairingSecrets> {
  const id = context.newId();
  const token = newToken();
  const code = codes.create();
  const expiresAt = context.now() + PAIRING_TTL_MS;
  await insertPairing(context, {
    ...owner,
    id,
    tokenHash: hashToken(token),
    codeHash: codes.hash(code),
    expiresAt,
    limit: PAIRINGS_MAX,
  });
  return { id, token, code, expiresAt };
}

/**
 * Opens a session for the holder of a pairing. The first browser also gets a token for an app on its Home Screen,
 * because the app has separate storage. Throws `expired` if the pairing is used, expired or unknown, `rate_limited`
 * after many wrong codes, and the errors of `openSession`.
 */
export async function pair(
  deps: PairDeps,
  { proof, caller }: { readonly proof: PairingProof; readonly caller: Caller },
): Promise<SessionWithCookies & { readonly installToken: string | null }> {
  const failure = {
    method: "pairing",
    actor: createUnknownActor(caller),
    codes: ["expired"],
  } as const;
  const { accountId, isFirstBrowser } = await recordIfItFails(deps.failedSignIns, failure, () =>
    "code" in proof ? useCode(deps, { code: proof.code, caller }) : useToken(deps, proof.token),
  );
  const session = await deps.auth.openSession(accountId, { method: "pairing", caller });
  const installToken = isFirstBrowser ? newToken() : null;
  await recordPairedSession(deps, { accountId, sessionId: session.sessionId, installToken });
  return { ...session, installToken };
}

/** A token has 160 bits, so the limit on wrong codes does not apply to links. */
async function useToken({ context }: PairDeps, token: string) {
  return requirePairing(
    await spendPairing(context, { column: "token_hash", hash: hashToken(token) }),
  );
}

function useCode(
  { context, codes, wrongCodeLimit }: PairDeps,
  { code, caller }: { readonly code: string; readonly caller: Caller },
) {
  return countFailures({ limit: wrongCodeLimit, key: toNetwork(caller.ip) }, async () => {
    const hash = codes.hash(code);
    return requirePairing(
      hash === null ? null : await spendPairing(context, { column: "code_hash", hash }),
    );
  });
}

function requirePairing<Pairing>(pairing: Pairing | null): Pairing {
  if (pairing !== null) return pairing;
  throw createExpiredPairingError();
}

/** Returns the error for a pairing that is used, expired or unknown. */
export function createExpiredPairingError(): AppError {
  const message = "This link or code is wrong, was already used, or has expired. Create a new one.";
  return new AppError("expired", message);
}

async function recordPairedSession(
  { context }: PairDeps,
  input: {
    readonly accountId: string;
    readonly sessionId: string;
    readonly installToken: string | null;
  },
): Promise<void> {
  const { accountId, sessionId, installToken } = input;
  const installPairing =
    installToken === null
      ? null
      : {
          id: context.newId(),
          accountId,
          sessionId,
          tokenHash: hashToken(installToken),
          codeHash: null,
          expiresAt: context.now() + INSTALL_TOKEN_TTL_MS,
        };
  await insertPairedSession(context, { sessionId, installPairing });
}
