import { AppError } from "#errors.ts";
import { isEmailAddress } from "#mail/mail.ts";

/** Returns one e-mail address in lower case; throws `invalid_email` for anything else. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (isEmailAddress(email)) return email;
  const message = "email must be one e-mail address, such as ann@example.org.";
  throw new AppError("invalid_email", message, { field: "email" });
}
