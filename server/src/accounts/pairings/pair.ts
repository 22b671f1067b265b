import { strangerAt } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { hashToken, newToken } from "#token.ts";
import type { Auth, Signed } from "../auth.ts";
import type { Caller } from "../caller.ts";
import { noteFailure, type FailedSignIns } from "../failed-sign-ins.ts";
import { countFailures, networkOf, type Limit } from "../limit.ts";
import type { Codes } from "./code.ts";
import { insertPairedSession, insertPairing, usePairing } from "./store.ts";

/** The most pairings with a code that an account may have at a time: a new one replaces the oldest. */
export const PAIRINGS_MAX = 10;
const LIFE_MS = 10 * 60_000;
/** Putting an app on the Home Screen takes a while, and people get interrupted. */
const INSTALL_LIFE_MS = 60 * 60_000;

/** The dependencies of pairing. */
export interface PairDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "openSession">;
  readonly codes: Codes;
  readonly failed: FailedSignIns;
  /** Limits wrong codes, by network. */
  readonly wrongCodes: Limit;
}

/** A new pairing, with its secrets, which are shown only now. */
export interface NewPairingSecrets {
  readonly id: string;
  readonly token: string;
  readonly code: string;
  readonly expiresAt: number;
}

/** The proof of a browser that wants in: the token of a link, or the code shown beside it. */
export type PairingProof = { readonly token: string } | { readonly code: string };

/** Creates the credential that admits one more browser to the account, for ten minutes and once. */
export async function beginPairing(
  { context, codes }: Pick<PairDeps, "context" | "codes">,
  owner: { readonly accountId: string; readonly sessionId: string; readonly by: Actor },
): Promise<NewPairingSecrets> {
  const [id, token, code] = [context.newId(), newToken(), codes.create()];
  const expiresAt = context.now() + LIFE_MS;
  await insertPairing(context, {
    ...owner,
    id,
    tokenHash: hashToken(token),
    codeHash: codes.hashOf(code),
    expiresAt,
    most: PAIRINGS_MAX,
  });
  return { id, token, code, expiresAt };
}

/**
 * Opens a session for the holder of a pairing. The first browser also gets a token for the app that may be put on its
 * Home Screen, which has storage of its own. Throws `expired` if the pairing is over or never existed.
 */
export async function pair(
  deps: PairDeps,
  { proof, caller }: { readonly proof: PairingProof; readonly caller: Caller },
): Promise<Signed & { readonly installToken: string | null }> {
  const tried = { method: "pairing", from: strangerAt(caller), codes: ["expired"] } as const;
  const { accountId, isFirst } = await noteFailure(deps.failed, tried, () =>
    "code" in proof ? useCode(deps, { code: proof.code, caller }) : useToken(deps, proof.token),
  );
  const signed = await deps.auth.openSession(accountId, { method: "pairing", caller });
  const installToken = isFirst ? newToken() : null;
  await recordSession(deps, { accountId, sessionId: signed.sessionId, installToken });
  return { ...signed, installToken };
}

/** A token has 160 bits, so a link is not limited by wrong codes of its network. */
async function useToken({ context }: PairDeps, token: string) {
  return known(await usePairing(context, { column: "token_hash", hash: hashToken(token) }));
}

function useCode(
  { context, codes, wrongCodes: failures }: PairDeps,
  { code, caller }: { readonly code: string; readonly caller: Caller },
) {
  return countFailures({ failures, key: networkOf(caller.ip) }, async () => {
    const hash = codes.hashOf(code);
    return known(hash === null ? null : await usePairing(context, { column: "code_hash", hash }));
  });
}

function known<Found>(found: Found | null): Found {
  if (found !== null) return found;
  throw new AppError(
    "expired",
    "This link or code is wrong, was already used, or has expired. Create a new one.",
  );
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
          tokenHash: hashToken(installToken),
          codeHash: null,
          expiresAt: context.now() + INSTALL_LIFE_MS,
        };
  await insertPairedSession(context, { sessionId, next });
}
