import type { Mail } from "#mail/mail.ts";
import { createConsoleLink } from "./console-link.ts";

/** The recipient of a link, and the token in it. */
export interface LinkRecipient {
  readonly email: string;
  readonly token: string;
}

/** Returns the mail with the link that confirms the address of a new account. */
export function createVerificationMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "verify", token);
  return {
    purpose: "verify_email",
    to: email,
    subject: "Confirm your e-mail address",
    link,
    text: `Someone, probably you, created a Tocsin account with this e-mail address at
${baseUrl}

To confirm that the address is yours, open this page within three days:

${link}

If it was not you, ignore this e-mail: nothing more happens.
`,
  };
}

/** Returns the mail with the link that resets the password. */
export function createPasswordResetMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "reset-password", token);
  return {
    purpose: "reset_password",
    to: email,
    subject: "Choose a new password",
    link,
    text: `Someone, probably you, asked for a new password for your Tocsin account at
${baseUrl}

To choose one, open this page within one hour:

${link}

If it was not you, ignore this e-mail: your password stays as it is.
`,
  };
}

/** Returns the mail of an invitation to create an account. */
export function createSignUpInvitationMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "sign-up", token);
  return {
    purpose: "invitation",
    to: email,
    subject: "Invitation to Tocsin",
    link,
    text: `The administrator of a Tocsin server invites you to create an account there:
${baseUrl}

To create it, open this page within 7 days and use this e-mail address:

${link}

If you do not expect this invitation, ignore this e-mail: nothing more happens.
`,
  };
}

/** Returns the mail with the link that confirms the new address of an account. */
export function createEmailChangeMail(baseUrl: string, { email, token }: LinkRecipient): Mail {
  const link = createConsoleLink(baseUrl, "verify-email-change", token);
  return {
    purpose: "change_email",
    to: email,
    subject: "Confirm your new e-mail address",
    link,
    text: `Someone, probably you, wants to use this e-mail address for a Tocsin account at
${baseUrl}

To confirm that the address is yours, open this page within one hour:

${link}

If it was not you, ignore this e-mail: nothing happens.
`,
  };
}

/** Returns the notice that the password of an account was changed. */
export function createPasswordChangedMail(baseUrl: string, email: string): Mail {
  return createNoticeMail(baseUrl, { email, subject: "Your password was changed" });
}

/** Returns the notice to the previous address of an account. */
export function createEmailChangedMail(baseUrl: string, email: string): Mail {
  return createNoticeMail(baseUrl, {
    email,
    subject: "The e-mail address of your account was changed",
  });
}

/** Returns the notice that a passkey was added to an account. */
export function createPasskeyAddedMail(baseUrl: string, email: string): Mail {
  const advice = "then remove the passkey in your profile";
  return createNoticeMail(baseUrl, {
    email,
    subject: "A passkey was added to your account",
    advice,
  });
}

/** Returns the notice that two-factor sign-in was turned off. */
export function createTwoFactorEndedMail(baseUrl: string, email: string): Mail {
  const advice = "then turn it on again in your profile";
  return createNoticeMail(baseUrl, { email, subject: "Two-factor sign-in was turned off", advice });
}

/** The mail names the change but not the account, because others may read it. */
function createNoticeMail(
  baseUrl: string,
  input: { readonly email: string; readonly subject: string; readonly advice?: string },
): Mail {
  const { email, subject, advice } = input;
  return {
    purpose: "account_notice",
    to: email,
    subject,
    link: baseUrl,
    text: `${subject}, at
${baseUrl}

If it was you, there is nothing to do. If it was not, open that page and choose "Forgot your
password?" immediately${advice === undefined ? "" : `, and ${advice}`}, or ask the administrator of the server.
`,
  };
}
