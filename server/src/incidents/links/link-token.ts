import { AppError } from "#errors.ts";

/** Signs the tokens of links, so that the server recognizes its own. */
export interface LinkSignature {
  readonly sign: (text: string) => string;
  readonly verify: (text: string, signature: string) => boolean;
}

/** The person to whom an email about an incident was sent, and the expiry of its link. */
export interface MailedPerson {
  readonly incidentId: string;
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

/** The maximum life of a link: 30 days. */
export const LINK_LIFE_MS = 30 * 86_400_000;

/** Maximum length of a token, in characters. */
const TOKEN_LENGTH_MAX = 256;
/** A token contains its expiry as a number in this base, which is shorter than a decimal number. */
const EXPIRY_BASE = 36;

/** Returns the token of a link. Nothing is stored: the signature proves that this server issued it. */
export function createActToken(
  signature: LinkSignature,
  { incidentId, accountId, endsAt }: MailedPerson,
): string {
  const text = `${incidentId}.${accountId}.${endsAt.toString(EXPIRY_BASE)}`;
  return `${text}.${signature.sign(text)}`;
}

/**
 * Returns the person of a token. Throws `not_found` if this server has not issued it, and `expired` after its expiry.
 */
export function openActToken(
  signature: LinkSignature,
  { token, now }: { readonly token: string; readonly now: number },
): MailedPerson {
  const signatureDot = token.lastIndexOf(".");
  const text = token.slice(0, Math.max(0, signatureDot));
  const givenSignature = token.slice(signatureDot + 1);
  const [incidentId = "", accountId = "", endText = ""] = text.split(".");
  if (token.length > TOKEN_LENGTH_MAX || !signature.verify(text, givenSignature))
    throw new AppError("not_found", "This link is incomplete, or another server has issued it.");
  const endsAt = Number.parseInt(endText, EXPIRY_BASE);
  if (endsAt <= now) throw new AppError("expired", "This link has expired.");
  return { incidentId, accountId, endsAt };
}
