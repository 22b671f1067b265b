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
 * Schemes of links that are harmless to open: they show a page or a location, or prepare a message or a call that the
 * user must still start.
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

/** The permitted use of a link: open it immediately, open it after the user has seen all of it and agreed, or never. */
export type LinkWay = "open" | "ask" | "never";

/**
 * Returns whether an app may open a notification's link, by its scheme as browsers parse it. Every scheme that is not
 * known to be harmless needs confirmation: any program may have registered it, and its effect is unknown.
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

/** Returns whether a URL does nothing beyond the promise of its scheme. */
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
