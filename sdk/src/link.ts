/**
 * Schemes that are never allowed in a notification's link: such a link can run code, or show content as if it came from
 * the page or the device.
 */
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
 * Returns how an app may open a notification's link. The scheme, as browsers parse it, and the link's other parts
 * decide. Every scheme that is not known to be harmless needs confirmation: any program may have registered it, and its
 * effect is unknown.
 */
export function decideLinkWay(link: string): LinkWay {
  if (!URL.canParse(link)) return "never";
  const url = new URL(link);
  if (isOneOf(REFUSED_LINK_SCHEMES, url.protocol)) return "never";
  return isOneOf(HARMLESS_LINK_SCHEMES, url.protocol) && doesOnlyWhatSchemeSays(url)
    ? "open"
    : "ask";
}

function isOneOf(schemes: readonly string[], scheme: string): boolean {
  return schemes.includes(scheme);
}

/** Excludes `*` and `#`, because some phones execute a dialled code that contains them. */
const PHONE_NUMBERS_PATTERN = /^\+?[\d().-]+(?:,\+?[\d().-]+)*$/;
/**
 * The fields allowed in a mail link: other fields make some programs attach the reader's files (RFC 6068 section 7).
 */
const MAIL_FIELDS: ReadonlySet<string> = new Set(["to", "cc", "bcc", "subject", "body"]);

/** Returns whether a URL does only what its scheme suggests. */
function doesOnlyWhatSchemeSays({
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
      return PHONE_NUMBERS_PATTERN.test(pathname) && search === "" && hash === "";
    case "sms:":
      return PHONE_NUMBERS_PATTERN.test(pathname) && hash === "";
    case "mailto:":
      return [...searchParams.keys()].every((name) => MAIL_FIELDS.has(name.toLowerCase()));
    default:
      return username === "" && password === "";
  }
}
