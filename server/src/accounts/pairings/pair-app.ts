import { createActor, createUnknownActor } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { countFailures, toNetwork, type AttemptLimit } from "../attempt-limit.ts";
import type { Caller } from "../caller.ts";
import { recordIfItFails, type FailedSignInLog } from "../failed-sign-in-log.ts";
import type { PairingCodes } from "./codes.ts";
import { createExpiredPairingError } from "./pair.ts";
import { findUsablePairing, spendPairing } from "./store.ts";

/** The dependencies of the sign-in of an app. */
export interface PairAppDeps {
  readonly context: Context;
  readonly codes: PairingCodes;
  readonly failedSignIns: FailedSignInLog;
  /** Limits wrong codes per network, together with those of browsers. */
  readonly wrongCodeLimit: AttemptLimit;
}

/** The email address and the code that a person typed into an app. */
export interface AppProof {
  readonly email: string;
  readonly code: string;
  readonly caller: Caller;
}

/** The account of a code, and the app as the actor of its events. */
export interface CodeOwner {
  readonly accountId: string;
  readonly actor: Actor;
}

/** The sign-in of an app by the code of a pairing. */
export interface CodePairing {
  /**
   * Returns the owner of a valid code, which stays valid. Throws `expired`, and `rate_limited` after many wrong codes.
   */
  readonly check: (proof: AppProof) => Promise<CodeOwner>;
  /** Uses up a valid code, and returns its owner. Throws like `check`. */
  readonly use: (proof: AppProof) => Promise<CodeOwner>;
}

/** Creates the sign-in of apps, which type an email address and a code instead of opening a link. */
export function createAppPairing(deps: PairAppDeps): CodePairing {
  return {
    check: (proof) => attempt(deps, proof, () => findOwner(deps, proof)),
    use: (proof) =>
      attempt(deps, proof, async () => {
        // A code with the wrong address is not used up.
        const { hash, ...owner } = await findOwner(deps, proof);
        const spent = await spendPairing(deps.context, { column: "code_hash", hash });
        if (spent === null) throw createExpiredPairingError();
        return owner;
      }),
  };
}

function attempt<Owner extends CodeOwner>(
  { failedSignIns, wrongCodeLimit }: PairAppDeps,
  { caller }: AppProof,
  find: () => Promise<Owner>,
): Promise<CodeOwner> {
  const failure = {
    method: "pairing",
    actor: createUnknownActor(caller),
    codes: ["expired"],
  } as const;
  return recordIfItFails(failedSignIns, failure, () =>
    countFailures({ limit: wrongCodeLimit, key: toNetwork(caller.ip) }, async () => {
      const { accountId, actor } = await find();
      return { accountId, actor };
    }),
  );
}

async function findOwner({ context, codes }: PairAppDeps, { email, code, caller }: AppProof) {
  const hash = codes.hash(code);
  const found = hash === null ? null : await findUsablePairing(context, { codeHash: hash, email });
  if (hash === null || found === null) throw createExpiredPairingError();
  const { accountId } = found;
  const actor = createActor(caller, { kind: "device", accountId, credentialId: null });
  return { accountId, actor, hash };
}
