import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MailQueue } from "#mail/mail.ts";
import { hashToken } from "#token.ts";
import { parseApplicant, parseEmail, parseName, type Applicant } from "./account.ts";
import type { Auth } from "./auth.ts";
import { hashPassword } from "./passwords/hash.ts";
import type { AddressProof } from "./store/addresses.ts";
import { createVerificationMail } from "./mails.ts";
import { findSignUpInvitation } from "./invitations/store.ts";
import {
  insertAccount,
  isValidSetUpToken,
  type JoinedStep,
  type InsertRefusal,
  type NewAccount,
} from "./store/accounts.ts";

/** The people who may create an account: everyone, invited people, or nobody. */
export type SignUpPolicy = "open" | "invite" | "closed";

/** A pending invitation to a team, found by token. */
export interface TeamInvitation {
  /** Lower case. */
  readonly email: string;
  /** Whether the token was only emailed, so that its holder controls the mailbox. */
  readonly isMailed: boolean;
  /** Whether an administrator of this server created the link. */
  readonly isByAdministrator: boolean;
  /**
   * Returns the step that uses up the invitation for a new account, in the transaction that creates the account. The
   * step returns false if the invitation is no longer valid.
   */
  readonly createAcceptanceStep: (newcomer: Newcomer) => JoinedStep;
  /** Called after the commit of the acceptance. */
  readonly onAccepted: () => void;
}

/** A new account that accepts an invitation, and the actor who creates it. */
export interface Newcomer {
  readonly accountId: string;
  readonly actor: Actor;
}

/**
 * Returns the pending invitation of a token, by the token's hash; null if there is none. The teams room provides it.
 */
export type FindTeamInvitation = (tokenHash: string) => Promise<TeamInvitation | null>;

/** The dependencies of sign-up. */
export interface SignUpDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "createVerificationToken">;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  /** Returns the current policy. */
  readonly signUpPolicy: () => Promise<SignUpPolicy>;
  readonly findTeamInvitation: FindTeamInvitation;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
}

/** The fields of a sign-up with a password, the token of its link, and its origin. */
export interface SignUpRequest extends Applicant {
  /** The token of a set-up link or of an invitation link. */
  readonly token: string | null;
  /** The actor in the form that `createUnknownActor` returns. */
  readonly actor: Actor;
}

/**
 * Creates an account if the sign-up policy, an invitation or the set-up link allows it, and returns its id. An
 * invitation to a team makes the account a member in the same commit. Throws `invalid_email` or `invalid_field` if a
 * field is invalid, `sign_up_closed` if sign-up is closed, `invitation_required` if the policy requires an invitation
 * and none is valid, `expired` if the link of an open sign-up is invalid or another sign-up has just used the link,
 * `wrong_account` if the invitation is for another address, and `conflict` if the address has an account. A sign-up
 * cannot hide that an address has an account, because it opens a session immediately.
 */
export async function signUp(deps: SignUpDeps, request: SignUpRequest): Promise<string> {
  const { context, mail, baseUrl } = deps;
  const applicant = parseApplicant(request);
  const { email } = applicant;
  const permission = await findPermission(deps, email, request.token);
  const { addressProof } = permission;
  const id = context.newId();
  const isProven = addressProof !== null;
  const token = isProven ? null : deps.auth.createVerificationToken({ accountId: id, email });
  await createPermittedAccount(context, permission, {
    id,
    email,
    name: applicant.name,
    addressProof,
    passwordHash: await hashPassword(applicant.password),
    mail: token === null ? null : createVerificationMail(baseUrl, { email, token }),
    actor: request.actor,
  });
  mail.wake();
  return id;
}

/**
 * Creates an account without a password, for an address that an identity provider verified, and returns its id. Throws
 * as `signUp` does.
 */
export async function signUpVerified(
  deps: SignUpDeps,
  person: {
    readonly email: string;
    readonly name: string;
    readonly token: string | null;
    readonly actor: Actor;
  },
): Promise<string> {
  const { context } = deps;
  const email = parseEmail(person.email);
  const permission = await findPermission(deps, email, person.token);
  const id = context.newId();
  await createPermittedAccount(context, permission, {
    id,
    email,
    name: parseName("name", person.name),
    addressProof: "oidc",
    passwordHash: null,
    mail: null,
    actor: person.actor,
  });
  return id;
}

/** Creates the account, and uses up the link that permitted it. */
async function createPermittedAccount(
  context: Context,
  { setUpTokenHash, invitationHash, invitation }: Permission,
  account: Omit<NewAccount, "isAdmin" | "setUpTokenHash" | "invitationHash" | "runJoinedStep">,
): Promise<void> {
  const { id: accountId, actor } = account;
  const refusal = await insertAccount(context, {
    ...account,
    isAdmin: setUpTokenHash !== null,
    setUpTokenHash,
    invitationHash,
    runJoinedStep: async (db) => {
      if (invitation === null || (await invitation.createAcceptanceStep({ accountId, actor })(db)))
        return;
      throw toSignUpError("link_expired");
    },
  });
  if (refusal !== null) throw toSignUpError(refusal);
  invitation?.onAccepted();
}

interface Permission {
  /** Hash of the set-up token that makes the account an administrator. */
  readonly setUpTokenHash: string | null;
  /** Hash of the token of an administrator's invitation that the account uses up. */
  readonly invitationHash: string | null;
  /** The invitation to a team that the account accepts. */
  readonly invitation: TeamInvitation | null;
  readonly addressProof: AddressProof | null;
}

async function findPermission(
  deps: SignUpDeps,
  email: string,
  token: string | null,
): Promise<Permission> {
  const policy = await deps.signUpPolicy();
  if (token === null) {
    if (policy === "open") return PLAIN_PERMISSION;
    throw policy === "closed" ? createSignUpClosedError() : createInvitationRequiredError();
  }
  const tokenHash = hashToken(token);
  if (await isValidSetUpToken(deps.context, tokenHash)) {
    return { ...PLAIN_PERMISSION, setUpTokenHash: tokenHash, addressProof: "set_up_link" };
  }
  if (policy === "closed") throw createSignUpClosedError();
  const serverInvitation = await findSignUpInvitation(deps.context, tokenHash);
  const invitation = serverInvitation === null ? await deps.findTeamInvitation(tokenHash) : null;
  const usedInvitation = serverInvitation ?? invitation;
  if (usedInvitation === null) {
    throw new AppError(policy === "open" ? "expired" : "invitation_required", LINK_EXPIRED_MESSAGE);
  }
  if (usedInvitation.email !== null && usedInvitation.email !== email) {
    throw new AppError("wrong_account", "This invitation is for another email address.");
  }
  const isByAdministrator = serverInvitation !== null || invitation?.isByAdministrator === true;
  const addressProof = decideAddressProof({ ...usedInvitation, isByAdministrator }, deps.sendsMail);
  const invitationHash = serverInvitation === null ? null : tokenHash;
  return { ...PLAIN_PERMISSION, invitationHash, invitation, addressProof };
}

/**
 * Returns how an invitation link proves its email address; null if it does not. Without email, a link that an
 * administrator shares counts as proof. A link from another member does not: that member could invite a foreign
 * address, sign up with it, and receive the notifications to it.
 */
function decideAddressProof(
  invitation: Pick<TeamInvitation, "isMailed" | "isByAdministrator"> & {
    readonly email: string | null;
  },
  sendsMail: boolean,
): AddressProof | null {
  if (invitation.email === null) return null;
  if (invitation.isMailed) return "mailed_link";
  return invitation.isByAdministrator && !sendsMail ? "administrator" : null;
}

const PLAIN_PERMISSION = {
  setUpTokenHash: null,
  invitationHash: null,
  invitation: null,
  addressProof: null,
} as const;

function toSignUpError(refusal: InsertRefusal): AppError {
  if (refusal === "link_expired") return new AppError("expired", LINK_EXPIRED_MESSAGE);
  return new AppError(
    "conflict",
    "There is already an account with this email address. Sign in instead.",
  );
}

function createSignUpClosedError(): AppError {
  return new AppError("sign_up_closed", "Sign-up is closed on this server. Ask its administrator.");
}

function createInvitationRequiredError(): AppError {
  const message = "An invitation is needed to sign up here. Ask for one, and open its link.";
  return new AppError("invitation_required", message);
}

/** Mentions the set-up link, because the operator may use the link of an earlier start. */
const LINK_EXPIRED_MESSAGE =
  "This link has expired or was already used. Open the newest set-up link in the server's output, or ask for a new invitation.";
