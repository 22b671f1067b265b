import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MailQueue } from "#mail/mail.ts";
import { hashSecret } from "#secret.ts";
import { parseApplicant, parseEmail, parseName, type Applicant } from "./account.ts";
import { hashPassword, type Auth } from "./auth.ts";
import { verificationMail } from "./mails.ts";
import { findSignUpInvitation } from "./invitations/store.ts";
import { insertAccount, isSetUpToken, type InsertRefusal } from "./store.ts";

/** Who may make an account: everybody, who is invited, or nobody. */
export type SignUpPolicy = "open" | "invite" | "closed";

/** A pending invitation to a team, as its link's token finds it. */
export interface FoundInvitation {
  /** Lower case. */
  readonly email: string;
  /** The token came by mail alone: who holds it reads the mail of that address. */
  readonly provesAddress: boolean;
}

/** Returns the pending invitation behind the hash of a link's token; the teams room provides it. */
export type FindInvitation = (tokenHash: string) => Promise<FoundInvitation | null>;

/** What sign-up depends on. */
export interface SignUpDeps {
  readonly context: Context;
  readonly auth: Pick<Auth, "newVerificationToken">;
  readonly mail: MailQueue;
  readonly baseUrl: string;
  /** Returns the rule that holds now. */
  readonly signUpPolicy: () => Promise<SignUpPolicy>;
  readonly findInvitation: FindInvitation;
}

export interface SignUpRequest extends Applicant {
  /** That of a set-up link or of an invitation link. */
  readonly token: string | null;
  /** As `strangerAt` says it. */
  readonly by: Actor;
}

/**
 * Makes an account, where the server's sign-up rule, an invitation or the set-up link allows it; returns its id.
 * Throws `invitation_required`, `sign_up_closed`, `wrong_account` for somebody else's invitation, `expired`
 * for a link that is over, and `conflict` for an address that has an account: a session follows at once, so
 * on an open server nothing could hide that.
 */
export async function signUp(deps: SignUpDeps, request: SignUpRequest): Promise<string> {
  const { context, mail, baseUrl } = deps;
  const applicant = parseApplicant(request);
  const { email } = applicant;
  const permission = await permit(deps, email, request.token);
  const isEmailVerified = permission.provesAddress;
  const id = context.newId();
  const token = isEmailVerified ? null : deps.auth.newVerificationToken({ accountId: id, email });
  const refusal = await insertAccount(context, {
    id,
    email,
    name: applicant.name,
    isAdmin: permission.setUpTokenHash !== null,
    isEmailVerified,
    passwordHash: await hashPassword(applicant.password),
    setUpTokenHash: permission.setUpTokenHash,
    invitationHash: permission.invitationHash,
    mail: token === null ? null : verificationMail(baseUrl, { email, token }),
    by: request.by,
  });
  if (refusal !== null) throw refusalOf(refusal);
  mail.wake();
  return id;
}

/**
 * Makes an account without a password for somebody whose address an identity provider verified; returns its id. Throws as
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
  const { setUpTokenHash, invitationHash } = await permit(deps, email, person.token);
  const id = context.newId();
  const refusal = await insertAccount(context, {
    id,
    email,
    name: parseName("name", person.name),
    isAdmin: setUpTokenHash !== null,
    isEmailVerified: true,
    passwordHash: null,
    setUpTokenHash,
    invitationHash,
    mail: null,
    by: person.by,
  });
  if (refusal === null) return id;
  throw refusalOf(refusal);
}

interface Permission {
  /** The set-up token that makes the account the administrator's. */
  readonly setUpTokenHash: string | null;
  /** The token of the administrator's invitation that the account uses up. */
  readonly invitationHash: string | null;
  readonly provesAddress: boolean;
}

async function permit(deps: SignUpDeps, email: string, token: string | null): Promise<Permission> {
  const policy = await deps.signUpPolicy();
  if (token === null) {
    if (policy === "open") return NOTHING_SPENT;
    throw policy === "closed" ? signUpIsClosed() : invitationIsRequired();
  }
  const tokenHash = hashSecret(token);
  if (await isSetUpToken(deps.context, tokenHash)) {
    return { ...NOTHING_SPENT, setUpTokenHash: tokenHash, provesAddress: true };
  }
  if (policy === "closed") throw signUpIsClosed();
  const own = await findSignUpInvitation(deps.context, tokenHash);
  const invitation = own ?? (await deps.findInvitation(tokenHash));
  if (invitation === null) {
    throw new AppError(policy === "open" ? "expired" : "invitation_required", LINK_IS_OVER);
  }
  if (invitation.email !== null && invitation.email !== email) {
    throw new AppError("wrong_account", "This invitation is for another e-mail address.");
  }
  const { provesAddress } = invitation;
  return { ...NOTHING_SPENT, invitationHash: own === null ? null : tokenHash, provesAddress };
}

const NOTHING_SPENT = { setUpTokenHash: null, invitationHash: null, provesAddress: false };

function refusalOf(refusal: InsertRefusal): AppError {
  if (refusal === "link_over") return new AppError("expired", LINK_IS_OVER);
  return new AppError("conflict", "This e-mail address has an account. Sign in instead.");
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
  "This link has expired or was used. The set-up link that counts is the newest in the server's output; an invitation can be sent again.";
