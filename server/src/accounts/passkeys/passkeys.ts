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
  ALGORITHMS,
  challengeOf,
  checkAssertion,
  checkRegistration,
  refused,
  type Assertion,
  type PasskeyRegistration,
  type RelyingParty,
} from "./ceremony.ts";
import {
  listCredentialIds,
  findCredential,
  insertPasskey,
  recordSignIn,
  type Passkey,
} from "./store.ts";

/** The dependencies of passkeys. */
export interface PasskeyDeps {
  readonly context: Context;
  readonly party: RelyingParty;
}

/** The account that registers a passkey. */
export interface Registrant {
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
}

/** Maximum number of passkeys per account. */
const PASSKEYS_MAX = 20;
const CEREMONY_MS = 5 * 60_000;

/** Returns the options for creating a passkey. Throws `conflict` if the account has the maximum number. */
export async function beginRegistration(
  { context, party }: PasskeyDeps,
  { accountId, email, name }: Registrant,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const credentialIds = await listCredentialIds(context, { accountId, limit: PASSKEYS_MAX });
  if (credentialIds.length === PASSKEYS_MAX) throw tooMany();
  const challenge = await insertChallenge(context, {
    kind: "passkey_registration",
    accountId,
    content: "",
    lifeMs: CEREMONY_MS,
  });
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: "Tocsin",
    userID: isoUint8Array.fromUTF8String(accountId),
    userName: email,
    userDisplayName: name,
    challenge,
    timeout: CEREMONY_MS,
    excludeCredentials: credentialIds.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/**
 * Stores a passkey that was created for a challenge of the account. Throws `invalid_field`, `conflict` or `expired`.
 */
export async function finishRegistration(
  { context, party }: PasskeyDeps,
  input: {
    readonly accountId: string;
    readonly name: string;
    readonly credential: PasskeyRegistration;
    readonly actor: Actor;
    /** The mail that notifies the owner, queued in the same commit. */
    readonly notice: Mail;
  },
): Promise<Passkey> {
  const { accountId, credential, actor, notice } = input;
  const name = parseName("name", input.name);
  const token = await challengeOf(credential);
  const challenge = await takeChallenge(context, { kind: "passkey_registration", token });
  if (challenge?.accountId !== accountId) throw ceremonyExpired();
  const key = await checkRegistration(party, { registration: credential, secret: token });
  const fields = { accountId, name, actor, notice, limit: PASSKEYS_MAX };
  const passkey = await insertPasskey(context, { ...key, ...fields });
  if (passkey === "full") throw tooMany();
  if (passkey === "known") throw new AppError("conflict", "This passkey is already registered.");
  return passkey;
}

/** Returns the options of a sign-in with a passkey. They name no account, because the passkey identifies its owner. */
export async function beginPasskeySignIn({
  context,
  party,
}: PasskeyDeps): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await insertChallenge(context, {
    kind: "passkey_sign_in",
    accountId: null,
    content: "",
    lifeMs: CEREMONY_MS,
  });
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    timeout: CEREMONY_MS,
    allowCredentials: [],
    userVerification: "required",
  });
}

/**
 * Returns the account of the passkey in a sign-in. Throws `expired`, or the same `invalid_field` for an unknown and an
 * invalid passkey.
 */
export async function finishPasskeySignIn(
  { context, party }: PasskeyDeps,
  credential: Assertion,
): Promise<string> {
  const token = await challengeOf(credential);
  const challenge = await takeChallenge(context, { kind: "passkey_sign_in", token });
  if (challenge === null) throw ceremonyExpired();
  const stored = await findCredential(context, credential.id);
  if (stored === null) throw refused();
  const { id, accountId, signCount: previousCount } = stored;
  const { userHandle = null } = credential.response;
  if (userHandle !== null && userHandle !== isoBase64URL.fromUTF8String(accountId)) throw refused();
  const signCount = await checkAssertion(party, { assertion: credential, secret: token, stored });
  if (!(await recordSignIn(context, { id, accountId, before: previousCount, signCount })))
    throw refused();
  return accountId;
}

function tooMany(): AppError {
  return new AppError("conflict", `An account has at most ${PASSKEYS_MAX} passkeys. Remove one.`);
}

function ceremonyExpired(): AppError {
  return new AppError("expired", "This took too long, or was already completed. Start again.");
}
