/** Schemes that no link of a notification has: they run or show something where they are opened. */
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
 * Schemes of links that do no harm by being opened: they show a page or a place, or prepare a message or a call that a person
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

/** What may be done with a link: open it at once, open it once a person has seen all of it and agreed, or neither. */
export type LinkWay = "open" | "ask" | "never";

/**
 * Returns what an app may do with the link of a notification, by its scheme as browsers read it. All that is not known to be
 * harmless is asked about: any program may have taken a scheme, and what it does with an address nobody knows.
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

/** Numbers alone: with `*` and `#` some phones run what is dialled. */
const NUMBERS = /^\+?[\d().-]+(?:,\+?[\d().-]+)*$/;
/** What a mail may begin with: some programs attach files of the reader's that other fields name (RFC 6068 section 7). */
const MAIL_FIELDS: ReadonlySet<string> = new Set(["to", "cc", "bcc", "subject", "body"]);

/** Whether nothing in an address makes more of it than its scheme promises. */
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
