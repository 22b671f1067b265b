import { linkWay } from "@tocsin/sdk";

/** A link as the console offers it. */
export type OfferedLink =
  /** It may be opened by one click; `isWeb` says that its host is what a reader must know of it. */
  | { readonly kind: "open"; readonly url: URL; readonly isWeb: boolean }
  /** It may be opened once a person has seen all of it. */
  | { readonly kind: "ask"; readonly url: URL }
  | { readonly kind: "never" };

/** Returns how the link of a notification is offered. */
export function offeredLink(link: string): OfferedLink {
  const kind = linkWay(link);
  if (kind === "never") return { kind };
  const url = new URL(link);
  return kind === "ask" ? { kind, url } : { kind, url, isWeb: isWeb(url) };
}

/** Returns the URL of an image that may be opened, http or https; null for any other scheme and for no URL. */
export function webUrlOf(link: string | null): URL | null {
  if (link === null || linkWay(link) !== "open") return null;
  const url = new URL(link);
  return isWeb(url) ? url : null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}
