import type { Mail } from "#mail/mail.ts";
import { createConsoleLink } from "./console-link.ts";
import {
  EMAIL_CHANGE_LINK_TTL_MS,
  formatLifetime,
  RESET_LINK_TTL_MS,
  SIGN_UP_INVITATION_TTL_MS,
  VERIFICATION_LINK_TTL_MS,
} from "./link-lifetimes.ts";

/** The recipient of a link, and the token in it. */
export interface LinkRecipient {
  readonly email: string;
  readonly token: string;
}

/** Returns the email with the link that verifies the address of a new account. */
export function createVerificationMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "verify", token);
  return {
    purpose: "verify_email",
    to: email,
    subject: "Confirm your email address",
    link,
    text: `Someone, probably you, created a Tocsin account with this email address at
${baseUrl}

To confirm that the address is yours, open this page within ${formatLifetime(VERIFICATION_LINK_TTL_MS)}:

${link}

If it was not you, ignore this email. The address then stays unconfirmed.
`,
  };
}

/** Returns the email with the link that resets the password. */
export function createPasswordResetMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "reset-password", token);
  return {
    purpose: "reset_password",
    to: email,
    subject: "Choose a new password",
    link,
    text: `Someone, probably you, asked for a new password for your Tocsin account at
${baseUrl}

To choose one, open this page within ${formatLifetime(RESET_LINK_TTL_MS)}:

${link}

If it was not you, ignore this email. Your password then stays as it is.
`,
  };
}

/** Returns the email of an invitation to create an account. */
export function createSignUpInvitationMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "sign-up", token);
  return {
    purpose: "invitation",
    to: email,
    subject: "Invitation to Tocsin",
    link,
    text: `The administrator of a Tocsin server invites you to create an account there:
${baseUrl}

To create it, open this page within ${formatLifetime(SIGN_UP_INVITATION_TTL_MS)} and use this email address:

${link}

If you did not expect this invitation, ignore this email. No account is created without you.
`,
  };
}

/** Returns the email with the link that verifies the new address of an account. */
export function createNewAddressMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "verify-email-change", token);
  return {
    purpose: "change_email",
    to: email,
    subject: "Confirm your new email address",
    link,
    text: `Someone, probably you, wants to use this email address for a Tocsin account at
${baseUrl}

To confirm that the address is yours, open this page within ${formatLifetime(EMAIL_CHANGE_LINK_TTL_MS)}:

${link}

If it was not you, ignore this email. The account then keeps its current address.
`,
  };
}

/** Returns the notice that the password of an account was changed. */
export function createPasswordChangedMail(baseUrl: string, email: string): Mail {
  return createNoticeMail(baseUrl, {
    email,
    subject: "Your password was changed",
    advice: [CHOOSE_NEW_PASSWORD, ASK_ADMINISTRATOR],
  });
}

/**
 * Returns the notice to the previous address of an account. It does not advise a password reset, because the link would
 * go to the new address.
 */
export function createEmailChangedMail(baseUrl: string, previousEmail: string): Mail {
  return createNoticeMail(baseUrl, {
    email: previousEmail,
    subject: "The email address of your account was changed",
    advice: [
      "Ask the administrator of the server for help immediately.",
      "Links that reset the password now go to the new address, so you cannot use them.",
    ],
  });
}

/** Returns the notice that a passkey was added to an account. */
export function createPasskeyAddedMail(baseUrl: string, email: string): Mail {
  return createNoticeMail(baseUrl, {
    email,
    subject: "A passkey was added to your account",
    advice: [
      CHOOSE_NEW_PASSWORD,
      'Then remove the passkey under "Profile & security".',
      ASK_ADMINISTRATOR,
    ],
  });
}

/** Returns the notice that two-factor sign-in was turned off. */
export function createTwoFactorTurnedOffMail(baseUrl: string, email: string): Mail {
  return createNoticeMail(baseUrl, {
    email,
    subject: "Two-factor sign-in was turned off",
    advice: [
      CHOOSE_NEW_PASSWORD,
      'Then turn two-factor sign-in on again under "Profile & security".',
      ASK_ADMINISTRATOR,
    ],
  });
}

const CHOOSE_NEW_PASSWORD =
  'Open the page above immediately, and choose "Forgot your password?" to set a new password.';
const ASK_ADMINISTRATOR = "If that does not work, ask the administrator of the server for help.";

/** A change to an account, and the advice for a person who did not make it. */
interface Notice {
  readonly email: string;
  /** Names the change as a sentence without a full stop. */
  readonly subject: string;
  /** Sentences, one a line. */
  readonly advice: readonly string[];
}

/** The email names the change but not the account, because others may read it. */
function createNoticeMail(baseUrl: string, { email, subject, advice }: Notice): Mail {
  return {
    purpose: "account_notice",
    to: email,
    subject,
    link: baseUrl,
    text: `${subject} on this Tocsin server:
${baseUrl}

If it was you, there is nothing to do. If it was not you:

${advice.join("\n")}
`,
  };
}
