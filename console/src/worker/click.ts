import { linkWay } from "@tocsin/sdk";
import { pageOf } from "./push-message.ts";

/** Data that a notification keeps for the click on it. */
export interface ClickData {
  readonly id: string;
  readonly navigate: string;
  readonly link: string | null;
}

/** Target of a click on a notification. */
export type ClickTarget =
  /** A page of the console, by its path. */
  | { readonly kind: "page"; readonly path: string }
  /** The sender's own page, by its address; if it cannot be opened, the console's page at `path`. */
  | { readonly kind: "link"; readonly href: string; readonly id: string; readonly path: string };

/** Button beside a link that opens directly: it leads to the whole text. Its title is the same in every language. */
export const DETAILS = { action: "details", title: "Details" } as const;

export interface Click {
  /** Data of the notification, as the browser returns it. */
  readonly data: unknown;
  /** The button that was pressed; empty for the notification itself. */
  readonly action: string;
  readonly origin: string;
  readonly userAgent: string;
}

/** Returns the target of a click: the link if one click may open it, else the notification's page, which asks. */
export function clickTarget({ data, action, origin, userAgent }: Click): ClickTarget {
  const { id, navigate, link } = clickDataOf(data);
  const page = new URL(pageOf({ navigate, id, origin }));
  const path = page.pathname + page.search;
  if (action !== "" || link === null || !opensByClick(link, userAgent)) {
    return { kind: "page", path };
  }
  return { kind: "link", href: new URL(link).href, id, path };
}

/**
 * Returns whether a click opens this link without a page of ours in between. A worker opens only web pages, and an app
 * on an iPhone's Home Screen opens none outside of itself. Safari shows our page by itself, so that all of Apple's
 * behave alike.
 */
export function opensByClick(link: string, userAgent: string): boolean {
  if (linkWay(link) !== "open" || !/^https?:$/.test(new URL(link).protocol)) return false;
  return !/AppleWebKit/.test(userAgent) || /Chrome\//.test(userAgent);
}

/** Data from an older version of the worker counts as none. */
function clickDataOf(data: unknown): ClickData {
  // Any object can be read by any name; each value is checked before its use.
  const kept = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  const { id, navigate, link } = kept;
  return {
    id: typeof id === "string" ? id : "",
    navigate: typeof navigate === "string" ? navigate : "",
    link: typeof link === "string" ? link : null,
  };
}
