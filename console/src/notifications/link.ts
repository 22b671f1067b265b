import { linkWay } from "@tocsin/sdk";

/** A link as the console offers it. */
export type OfferedLink =
  /** One click may open it; `isWeb` says that its host is what a reader must know. */
  | { readonly kind: "open"; readonly url: URL; readonly isWeb: boolean }
  /** A click may open it after the person has seen all of it. */
  | { readonly kind: "ask"; readonly url: URL }
  | { readonly kind: "never" };

/** Returns the way in which a notification's link is offered. */
export function offeredLink(link: string): OfferedLink {
  const kind = linkWay(link);
  if (kind === "never") return { kind };
  const url = new URL(link);
  return kind === "ask" ? { kind, url } : { kind, url, isWeb: isWeb(url) };
}

/**
 * Returns the http or https URL of a picture that may be opened; null for any other scheme, for an invalid URL, and for
 * a field that an earlier version, which stored the feed in this browser, did not know.
 */
export function webUrlOf(link: string | null | undefined): URL | null {
  if (link === null || link === undefined || linkWay(link) !== "open") return null;
  const url = new URL(link);
  return isWeb(url) ? url : null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}
