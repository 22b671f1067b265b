/** Schemes that are never allowed in a notification's link: they run or show something in the page that opens them. */
export const REFUSED_LINK_SCHEMES = [
  "javascript:",
  "data:",
  "vbscript:",
  "blob:",
  "file:",
  "filesystem:",
  "about:",
  "intent:",
] as const;

/**
 * Schemes of links that are harmless to open: they show a page or a place, or prepare a message or a call that a person
 * then sends or makes.
 */
export const HARMLESS_LINK_SCHEMES = [
  "https:",
  "http:",
  "mailto:",
  "tel:",
  "sms:",
  "geo:",
  "matrix:",
] as const;

/** The permitted use of a link: open it at once, open it after a person has seen all of it and agreed, or never. */
export type LinkWay = "open" | "ask" | "never";

/**
 * Returns what an app may do with a notification's link, by its scheme as browsers parse it. Any scheme not known to be
 * harmless is confirmed first: any program may have registered it, and nobody knows what it does with the address.
 */
export function linkWay(link: string): LinkWay {
  if (!URL.canParse(link)) return "never";
  const url = new URL(link);
  if (isOneOf(REFUSED_LINK_SCHEMES, url.protocol)) return "never";
  return isOneOf(HARMLESS_LINK_SCHEMES, url.protocol) && isPlain(url) ? "open" : "ask";
}

function isOneOf(schemes: readonly string[], scheme: string): boolean {
  return schemes.includes(scheme);
}

/** Digits only, because some phones execute dialled codes with `*` and `#`. */
const NUMBERS = /^\+?[\d().-]+(?:,\+?[\d().-]+)*$/;
/** The fields allowed in a mail link: other fields make some programs attach the reader's files (RFC 6068 section 7). */
const MAIL_FIELDS: ReadonlySet<string> = new Set(["to", "cc", "bcc", "subject", "body"]);

/** Returns whether an address does nothing beyond what its scheme promises. */
function isPlain({
  protocol,
  username,
  password,
  pathname,
  search,
  hash,
  searchParams,
}: URL): boolean {
  switch (protocol) {
    case "tel:":
      return NUMBERS.test(pathname) && search === "" && hash === "";
    case "sms:":
      return NUMBERS.test(pathname) && hash === "";
    case "mailto:":
      return [...searchParams.keys()].every((name) => MAIL_FIELDS.has(name.toLowerCase()));
    default:
      return username === "" && password === "";
  }
}
