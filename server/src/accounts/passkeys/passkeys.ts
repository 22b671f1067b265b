import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { isoBase64URL, isoUint8Array } from "@simplewebauthn/server/helpers";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Mail } from "#mail/mail.ts";
import { parseName } from "../account.ts";
import { insertChallenge, takeChallenge } from "../store/challenges.ts";
import {
  PASSKEY_ALGORITHMS,
  readChallengeToken,
  verifyAssertion,
  verifyRegistration,
  createPasskeyRefusedError,
  type Assertion,
  type PasskeyRegistration,
  type RelyingParty,
} from "./ceremony.ts";
import {
  listCredentialIds,
  findCredential,
  insertPasskey,
  recordPasskeySignIn,
  type Passkey,
} from "./store.ts";

/** The dependencies of passkeys. */
export interface PasskeyDeps {
  readonly context: Context;
  readonly relyingParty: RelyingParty;
}

/** The account that registers a passkey. */
export interface Registrant {
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
}

/** Maximum number of passkeys per account. */
const PASSKEYS_MAX = 20;
const CEREMONY_TTL_MS = 5 * 60_000;

/** Returns the options for creating a passkey. Throws `conflict` if the account has the maximum number. */
export async function beginRegistration(
  { context, relyingParty }: PasskeyDeps,
  { accountId, email, name }: Registrant,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const credentialIds = await listCredentialIds(context, { accountId, limit: PASSKEYS_MAX });
  if (credentialIds.length === PASSKEYS_MAX) throw createTooManyPasskeysError();
  const challenge = await insertChallenge(context, {
    kind: "passkey_registration",
    accountId,
    content: "",
    ttlMs: CEREMONY_TTL_MS,
  });
  return generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: "Tocsin",
    userID: isoUint8Array.fromUTF8String(accountId),
    userName: email,
    userDisplayName: name,
    challenge,
    timeout: CEREMONY_TTL_MS,
    excludeCredentials: credentialIds.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  });
}

/**
 * Stores a passkey that was created for a challenge of the account. Throws `invalid_field` if the name or the passkey
 * is invalid, `conflict` if the passkey is already registered or the account has the maximum of passkeys, and `expired`
 * if the challenge has expired.
 */
export async function finishRegistration(
  { context, relyingParty }: PasskeyDeps,
  input: {
    readonly accountId: string;
    readonly name: string;
    readonly credential: PasskeyRegistration;
    readonly actor: Actor;
    /** The email that notifies the owner, queued in the same commit. */
    readonly notice: Mail;
  },
): Promise<Passkey> {
  const { accountId, credential, actor, notice } = input;
  const name = parseName("name", input.name);
  const token = await readChallengeToken(credential);
  const challenge = await takeChallenge(context, { kind: "passkey_registration", token });
  if (challenge?.accountId !== accountId) throw createCeremonyExpiredError();
  const key = await verifyRegistration(relyingParty, { registration: credential, token });
  const fields = { accountId, name, actor, notice, max: PASSKEYS_MAX };
  const passkey = await insertPasskey(context, { ...key, ...fields });
  if (passkey === "full") throw createTooManyPasskeysError();
  if (passkey === "already_registered")
    throw new AppError("conflict", "This passkey is already registered.");
  return passkey;
}

/** Returns the options of a sign-in with a passkey. They name no account, because the passkey identifies its owner. */
export async function beginPasskeySignIn({
  context,
  relyingParty,
}: PasskeyDeps): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await insertChallenge(context, {
    kind: "passkey_sign_in",
    accountId: null,
    content: "",
    ttlMs: CEREMONY_TTL_MS,
  });
  return generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge,
    timeout: CEREMONY_TTL_MS,
    allowCredentials: [],
    userVerification: "required",
  });
}

/**
 * Returns the account of the passkey in a sign-in. Throws `expired` if the challenge has expired, and the same
 * `invalid_field` whether the passkey is unknown or invalid.
 */
export async function finishPasskeySignIn(
  { context, relyingParty }: PasskeyDeps,
  credential: Assertion,
): Promise<string> {
  const token = await readChallengeToken(credential);
  const challenge = await takeChallenge(context, { kind: "passkey_sign_in", token });
  if (challenge === null) throw createCeremonyExpiredError();
  const passkey = await findCredential(context, credential.id);
  if (passkey === null) throw createPasskeyRefusedError();
  const { id, accountId, signCount: previousSignCount } = passkey;
  const { userHandle = null } = credential.response;
  if (userHandle !== null && userHandle !== isoBase64URL.fromUTF8String(accountId))
    throw createPasskeyRefusedError();
  const signCount = await verifyAssertion(relyingParty, {
    assertion: credential,
    token,
    passkey,
  });
  if (
    !(await recordPasskeySignIn(context, {
      id,
      accountId,
      previousSignCount,
      signCount,
    }))
  )
    throw createPasskeyRefusedError();
  return accountId;
}

function createTooManyPasskeysError(): AppError {
  return new AppError("conflict", `An account has at most ${PASSKEYS_MAX} passkeys. Remove one.`);
}

function createCeremonyExpiredError(): AppError {
  return new AppError("expired", "This took too long, or was already completed. Start again.");
}
