import { decideLinkWay } from "@tocsin/sdk";
import type { PressedButton } from "./acts.ts";
import { ANSWER_ID, DETAILS_ACTION } from "./buttons.ts";
import { getPageUrl, isAction, type PushAction } from "./push-message.ts";

/** The data that a notification stores for a click. */
export interface ClickData {
  readonly id: string;
  readonly navigate: string;
  readonly link: string | null;
  /** The ids of the incident and the prompt; null or absent for none. */
  readonly incident?: string | null;
  readonly prompt?: string | null;
  /** The buttons of the incident or the prompt, including those that the browser does not show; absent for none. */
  readonly actions?: readonly PushAction[];
}

/** The target of a click on a notification. */
export type ClickTarget =
  /** A page of the console. */
  | { readonly kind: "page"; readonly path: string; readonly id: string }
  /** The sender's link. If the browser cannot open it, the page at `path` opens instead. */
  | { readonly kind: "link"; readonly href: string; readonly id: string; readonly path: string }
  /** A button of an incident or a prompt. */
  | (PressedButton & { readonly kind: "act"; readonly path: string });

/** A click on a notification. */
export interface NotificationClick {
  /** The data of the notification, as the browser returns it. */
  readonly data: unknown;
  /** The clicked button; empty for the notification itself. */
  readonly action: string;
  /** The text that the person entered for a button that takes one; null for any other click. */
  readonly reply: string | null;
  readonly origin: string;
  readonly userAgent: string;
}

/** Returns the target of a click: a pressed button, or the link if a click can open it, or the notification's page. */
export function findClickTarget(click: NotificationClick): ClickTarget {
  const { action, origin, userAgent } = click;
  const { id, navigate, link, incident, prompt, actions } = parseClickData(click.data);
  const page = new URL(getPageUrl({ navigate, id, origin }));
  const path = page.pathname + page.search;
  const reply = prompt === null ? "" : (click.reply ?? "").trim();
  const canAct = incident !== null || prompt !== null;
  // On Linux, Chromium reports a text without the id of its button.
  if (canAct && (reply !== "" || !OPENING_ACTIONS.has(action))) {
    const label = actions.find(([actionId]) => actionId === action)?.[1] ?? null;
    return { kind: "act", action, incident, prompt, answer: reply === "" ? label : reply, path };
  }
  if (action !== "" || link === null || !canOpenByClick(link, userAgent)) {
    return { kind: "page", path, id };
  }
  return { kind: "link", href: new URL(link).href, id, path };
}

/** The actions that open a page or the link: a click beside the buttons, and the buttons for the page. */
const OPENING_ACTIONS: ReadonlySet<string> = new Set(["", DETAILS_ACTION.action, ANSWER_ID]);

/**
 * Returns whether a click opens this link directly. A service worker can open only web pages. A web app on an iPhone's
 * Home Screen can open none outside itself, and Safari opens the notification's page, so no WebKit browser opens links.
 */
export function canOpenByClick(link: string, userAgent: string): boolean {
  if (decideLinkWay(link) !== "open" || !/^https?:$/.test(new URL(link).protocol)) return false;
  return !/AppleWebKit/.test(userAgent) || /Chrome\//.test(userAgent);
}

/** Returns the click data. A field that is missing or invalid, as from an older version of the worker, is empty. */
function parseClickData(data: unknown): Required<ClickData> {
  // An object has properties of unknown type. Each value is checked before its use.
  const fields = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  const { id, navigate, link, incident, prompt, actions } = fields;
  return {
    id: typeof id === "string" ? id : "",
    navigate: typeof navigate === "string" ? navigate : "",
    link: typeof link === "string" ? link : null,
    incident: typeof incident === "string" ? incident : null,
    prompt: typeof prompt === "string" ? prompt : null,
    actions: Array.isArray(actions) ? actions.filter(isAction) : [],
  };
}
