import { decideLinkWay } from "@tocsin/sdk";

/** A link, classified by how the console opens it. */
export type ClassifiedLink =
  /** Opens with one click. `isWeb` is true for http and https. */
  | { readonly kind: "open"; readonly url: URL; readonly isWeb: boolean }
  /** Opens after a dialog has shown the whole URL. */
  | { readonly kind: "ask"; readonly url: URL }
  /** Shown as text. */
  | { readonly kind: "never" };

/** Returns how the console opens a notification's link. */
export function classifyLink(link: string): ClassifiedLink {
  const kind = decideLinkWay(link);
  if (kind === "never") return { kind };
  const url = new URL(link);
  return kind === "ask" ? { kind, url } : { kind, url, isWeb: isWeb(url) };
}

/**
 * Returns an http or https URL that may be opened; null for any other scheme or an invalid URL. The link is undefined
 * if an earlier version of the console, without this field, stored the feed in this browser.
 */
export function parseWebUrl(link: string | null | undefined): URL | null {
  if (link === null || link === undefined || decideLinkWay(link) !== "open") return null;
  const url = new URL(link);
  return isWeb(url) ? url : null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}
