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
  credentialIdsOf,
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

/** The most passkeys of an account. */
const PASSKEYS_MAX = 20;
const CEREMONY_MS = 5 * 60_000;

/** Returns the options from which a browser creates a passkey; throws `conflict` if the account has too many. */
export async function beginRegistration(
  { context, party }: PasskeyDeps,
  { accountId, email, name }: Registrant,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await credentialIdsOf(context, { accountId, limit: PASSKEYS_MAX });
  if (known.length === PASSKEYS_MAX) throw tooMany();
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
    excludeCredentials: known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Stores a passkey that was created for this account's challenge; throws `invalid_field` or `expired`. */
export async function finishRegistration(
  { context, party }: PasskeyDeps,
  input: {
    readonly accountId: string;
    readonly name: string;
    readonly credential: PasskeyRegistration;
    readonly by: Actor;
    /** Notifies the owner, in the same commit. */
    readonly notice: Mail;
  },
): Promise<Passkey> {
  const { accountId, credential, by, notice } = input;
  const name = parseName("name", input.name);
  const token = await challengeOf(credential);
  const question = await takeChallenge(context, { kind: "passkey_registration", token });
  if (question?.accountId !== accountId) throw isOver();
  const key = await checkRegistration(party, { registration: credential, secret: token });
  const owned = { accountId, name, by, notice, most: PASSKEYS_MAX };
  const passkey = await insertPasskey(context, { ...key, ...owned });
  if (passkey === "full") throw tooMany();
  if (passkey === "known") throw new AppError("conflict", "This passkey is already registered.");
  return passkey;
}

/** Returns the options of a sign-in by passkey; they name no account, since the passkey knows its owner. */
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
 * Returns the account of the passkey that answered; throws `invalid_field`, the same for unknown and wrong ones, or
 * `expired`.
 */
export async function finishPasskeySignIn(
  { context, party }: PasskeyDeps,
  credential: Assertion,
): Promise<string> {
  const token = await challengeOf(credential);
  const question = await takeChallenge(context, { kind: "passkey_sign_in", token });
  if (question === null) throw isOver();
  const stored = await findCredential(context, credential.id);
  if (stored === null) throw refused();
  const { id, accountId, signCount: before } = stored;
  const { userHandle = null } = credential.response;
  if (userHandle !== null && userHandle !== isoBase64URL.fromUTF8String(accountId)) throw refused();
  const signCount = await checkAssertion(party, { assertion: credential, secret: token, stored });
  if (!(await recordSignIn(context, { id, accountId, before, signCount }))) throw refused();
  return accountId;
}

function tooMany(): AppError {
  return new AppError("conflict", `An account has at most ${PASSKEYS_MAX} passkeys. Remove one.`);
}

function isOver(): AppError {
  return new AppError("expired", "This took too long, or was already done. Start again.");
}
