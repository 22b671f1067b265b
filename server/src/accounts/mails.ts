import type { Mail } from "#mail/mail.ts";

/** To whom a link goes, and the token that makes it theirs. */
export interface LinkFor {
  readonly email: string;
  readonly token: string;
}

/** Returns the mail whose link proves that its reader owns the address of a new account. */
export function verificationMail(baseUrl: string, { email, token }: LinkFor): Mail {
  const link = `${baseUrl}/verify?token=${token}`;
  return {
    purpose: "verify_email",
    to: email,
    subject: "Confirm your e-mail address",
    link,
    text: `Somebody, probably you, made a Tocsin account with this e-mail address at
${baseUrl}

To confirm that the address is yours, open this page within three days:

${link}

If it was not you, ignore this mail: nothing more happens.
`,
  };
}

/** Returns the mail whose link lets its reader choose a new password. */
export function passwordResetMail(baseUrl: string, { email, token }: LinkFor): Mail {
  const link = `${baseUrl}/reset-password?token=${token}`;
  return {
    purpose: "reset_password",
    to: email,
    subject: "Choose a new password",
    link,
    text: `Somebody, probably you, asked for a new password for your Tocsin account at
${baseUrl}

To choose one, open this page within one hour:

${link}

If it was not you, ignore this mail: your password stays as it is.
`,
  };
}
