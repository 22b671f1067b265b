import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MailQueue } from "#mail/mail.ts";
import { hashToken } from "#token.ts";
import { parseApplicant, parseEmail, parseName, type Applicant } from "./account.ts";
import type { Auth } from "./auth.ts";
import { hashPassword } from "./passwords/hash.ts";
import type { AddressProof } from "./store/addresses.ts";
import { verificationMail } from "./mails.ts";
import { findSignUpInvitation } from "./invitations/store.ts";
import {
  insertAccount,
  isSetUpToken,
  type ForeignStep,
  type InsertRefusal,
  type NewAccount,
} from "./store/accounts.ts";

/** The people who may create an account: everybody, invited ones, or nobody. */
export type SignUpPolicy = "open" | "invite" | "closed";

/** A pending invitation to a team, found by the token in its link. */
export interface FoundInvitation {
  /** Lower case. */
  readonly email: string;
  /** The token was only mailed: its holder reads the mail of that address. */
  readonly isMailed: boolean;
  /** An administrator of this server made the link. */
  readonly isByAdministrator: boolean;
  /** Uses the invitation up for a new account, in the transaction that creates it; returns false if it is over. */
  readonly admit: (newcomer: Newcomer) => ForeignStep;
  /** Called after that was committed. */
  readonly admitted: () => void;
}

/** The account that an invitation makes a member, and the actor who creates it. */
export interface Newcomer {
  readonly accountId: string;
  readonly by: Actor;
}

/** Returns the pending invitation behind the hash of a link's token; the teams room provides it. */
export type FindInvitation = (tokenHash: string) => Promise<FoundInvitation | null>;

/** Dependencies of sign-up. */
export interface SignUpDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "newVerificationToken">;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  /** Returns the current policy. */
  readonly signUpPolicy: () => Promise<SignUpPolicy>;
  readonly findInvitation: FindInvitation;
  /** Whether a mail server is set up. */
  readonly sendsMail: boolean;
}

export interface SignUpRequest extends Applicant {
  /** The token of a set-up link or of an invitation link. */
  readonly token: string | null;
  /** As `strangerAt` returns it. */
  readonly by: Actor;
}

/**
 * Creates an account if the sign-up policy, an invitation or the set-up link allows it; returns its id. An invitation
 * to a team makes it a member in the same commit. Throws `invitation_required`, `sign_up_closed`, `wrong_account` for somebody else's invitation, `expired`
 * for a link that is over, and `conflict` for an address that has an account: a session follows at once, so
 * an open server could not hide that.
 */
export async function signUp(deps: SignUpDeps, request: SignUpRequest): Promise<string> {
  const { context, mail, baseUrl } = deps;
  const applicant = parseApplicant(request);
  const { email } = applicant;
  const permission = await permit(deps, email, request.token);
  const { addressProof } = permission;
  const id = context.newId();
  const isProven = addressProof !== null;
  const token = isProven ? null : deps.auth.newVerificationToken({ accountId: id, email });
  await makeAccount(context, permission, {
    id,
    email,
    name: applicant.name,
    addressProof,
    passwordHash: await hashPassword(applicant.password),
    mail: token === null ? null : verificationMail(baseUrl, { email, token }),
    by: request.by,
  });
  mail.wake();
  return id;
}

/**
 * Creates an account without a password, for a person whose address an identity provider verified; returns its id. Throws as
 * `signUp` does.
 */
export async function signUpVerified(
  deps: SignUpDeps,
  person: {
    readonly email: string;
    readonly name: string;
    readonly token: string | null;
    readonly by: Actor;
  },
): Promise<string> {
  const { context } = deps;
  const email = parseEmail(person.email);
  const permission = await permit(deps, email, person.token);
  const id = context.newId();
  await makeAccount(context, permission, {
    id,
    email,
    name: parseName("name", person.name),
    addressProof: "oidc",
    passwordHash: null,
    mail: null,
    by: person.by,
  });
  return id;
}

/** Creates the account, and uses up the link that permitted it. */
async function makeAccount(
  context: Context,
  { setUpTokenHash, invitationHash, invitation }: Permission,
  account: Omit<NewAccount, "isAdmin" | "setUpTokenHash" | "invitationHash" | "alongside">,
): Promise<void> {
  const { id: accountId, by } = account;
  const refusal = await insertAccount(context, {
    ...account,
    isAdmin: setUpTokenHash !== null,
    setUpTokenHash,
    invitationHash,
    alongside: async (db) => {
      if (invitation === null || (await invitation.admit({ accountId, by })(db))) return;
      throw refusalOf("link_over");
    },
  });
  if (refusal !== null) throw refusalOf(refusal);
  invitation?.admitted();
}

interface Permission {
  /** The set-up token, which makes the account an administrator. */
  readonly setUpTokenHash: string | null;
  /** The token of the administrator's invitation that the account uses up. */
  readonly invitationHash: string | null;
  /** The invitation to a team that the account accepts. */
  readonly invitation: FoundInvitation | null;
  readonly addressProof: AddressProof | null;
}

async function permit(deps: SignUpDeps, email: string, token: string | null): Promise<Permission> {
  const policy = await deps.signUpPolicy();
  if (token === null) {
    if (policy === "open") return NOTHING_SPENT;
    throw policy === "closed" ? signUpIsClosed() : invitationIsRequired();
  }
  const tokenHash = hashToken(token);
  if (await isSetUpToken(deps.context, tokenHash)) {
    return { ...NOTHING_SPENT, setUpTokenHash: tokenHash, addressProof: "set_up_link" };
  }
  if (policy === "closed") throw signUpIsClosed();
  const own = await findSignUpInvitation(deps.context, tokenHash);
  const invitation = own === null ? await deps.findInvitation(tokenHash) : null;
  const found = own ?? invitation;
  if (found === null) {
    throw new AppError(policy === "open" ? "expired" : "invitation_required", LINK_IS_OVER);
  }
  if (found.email !== null && found.email !== email) {
    throw new AppError("wrong_account", "This invitation is for another e-mail address.");
  }
  const isByAdministrator = own !== null || invitation?.isByAdministrator === true;
  const addressProof = proofOf({ ...found, isByAdministrator }, deps.sendsMail);
  const invitationHash = own === null ? null : tokenHash;
  return { ...NOTHING_SPENT, invitationHash, invitation, addressProof };
}

/**
 * Returns how an invitation link proves the address that it names; null if it does not. Without mail, a link that an administrator hands
 * over counts. One from another member does not: each of them could invite an address that is not theirs, sign up with it, and get the
 * notifications that others send there.
 */
function proofOf(
  found: Pick<FoundInvitation, "isMailed" | "isByAdministrator"> & {
    readonly email: string | null;
  },
  sendsMail: boolean,
): AddressProof | null {
  if (found.email === null) return null;
  if (found.isMailed) return "mailed_link";
  return found.isByAdministrator && !sendsMail ? "administrator" : null;
}

const NOTHING_SPENT = {
  setUpTokenHash: null,
  invitationHash: null,
  invitation: null,
  addressProof: null,
} as const;

function refusalOf(refusal: InsertRefusal): AppError {
  if (refusal === "link_over") return new AppError("expired", LINK_IS_OVER);
  return new AppError(
    "conflict",
    "There is already an account with this e-mail address. Sign in instead.",
  );
}

function signUpIsClosed(): AppError {
  return new AppError("sign_up_closed", "Sign-up is closed on this server. Ask its administrator.");
}

function invitationIsRequired(): AppError {
  const message = "An invitation is needed to sign up here. Ask for one, and open its link.";
  return new AppError("invitation_required", message);
}

/** A lone operator has nobody to ask for an invitation, but may hold the set-up link of an earlier start. */
const LINK_IS_OVER =
  "This link has expired or was already used. Open the newest set-up link in the server's output, or ask for a new invitation.";
