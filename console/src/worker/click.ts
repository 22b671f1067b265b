import { linkWay } from "@tocsin/sdk";
import { pageOf } from "./push-message.ts";

/** What a notification keeps for the click on it. */
export interface ClickData {
  readonly id: string;
  readonly navigate: string;
  readonly link: string | null;
}

/** Where a click on a notification leads. */
export type ClickTarget =
  /** A page of the console, by its path. */
  | { readonly kind: "page"; readonly path: string }
  /** The sender's own page, by its address; where that cannot be opened, the console's page at `path`. */
  | { readonly kind: "link"; readonly href: string; readonly id: string; readonly path: string };

/** The button beside a link that opens by itself: it leads to the whole text. Written alike in every language of the console. */
export const DETAILS = { action: "details", title: "Details" } as const;

export interface Click {
  /** What the notification keeps, as the browser hands it back. */
  readonly data: unknown;
  /** The button that was pressed, empty for the notification itself. */
  readonly action: string;
  readonly origin: string;
  readonly userAgent: string;
}

/** Returns where a click leads: to the link where that opens by one click, else to the notification's page, which asks. */
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
 * Returns whether a click opens this link without a page of ours in between: a worker opens pages of the web alone, and an app on
 * an iPhone's Home Screen none outside of itself. Safari by itself shows our page, so that it is the same in all of Apple's.
 */
export function opensByClick(link: string, userAgent: string): boolean {
  if (linkWay(link) !== "open" || !/^https?:$/.test(new URL(link).protocol)) return false;
  return !/AppleWebKit/.test(userAgent) || /Chrome\//.test(userAgent);
}

/** What an older version of the worker kept counts as nothing. */
function clickDataOf(data: unknown): ClickData {
  // Any object can be asked for any name; what is found is checked by its use.
  const kept = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  const { id, navigate, link } = kept;
  return {
    id: typeof id === "string" ? id : "",
    navigate: typeof navigate === "string" ? navigate : "",
    link: typeof link === "string" ? link : null,
  };
}
