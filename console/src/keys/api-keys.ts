import type { ApiKey } from "@tocsin/sdk";
import { client } from "../client.ts";
import { actionButton } from "../page/action-button.ts";
import { copyable } from "../page/copyable.ts";
import { fill, make, makeTime, type Child } from "../page/make.ts";
import { makeStatus, type Status } from "../page/status.ts";
import { curlCommand } from "./curl.ts";

/** What the list shows at most; the server can tell more. */
const KEYS_SHOWN = 50;
const LABEL = "Made on the page";

export interface ApiKeysOptions {
  /** Told the key that is shown, the only time it is known; null once it is revoked. */
  readonly onShown: (key: string | null) => void;
}

/** The part of the page with the API keys of the account. */
export interface ApiKeys {
  readonly element: HTMLElement;
  refresh(): Promise<void>;
}

/** Returns the part, empty until it was refreshed. */
export function apiKeys({ onShown }: ApiKeysOptions): ApiKeys {
  const status = makeStatus();
  const made = make("div", { class: "stack", role: "status" });
  const list = make("ul", { class: "plain" });
  let madeId: string | null = null;
  const forget = (id: string) => {
    // What no longer sends must not stand there as the key to use.
    if (id !== madeId) return;
    fill(made);
    onShown(null);
  };
  const refresh = async () => {
    try {
      const { items } = await client.keys.list({ limit: KEYS_SHOWN });
      const mine = items.filter(({ kind }) => kind === "account");
      fill(list, ...mine.map((key) => itemOf(key, { status, refresh, forget })));
    } catch (error) {
      status.fail(error);
    }
  };
  const create = async () => {
    const { id, key } = await client.keys.create({ kind: "account", label: LABEL });
    madeId = id;
    fill(
      made,
      make("p", {}, "This is your key. It is shown this once: keep it where secrets are kept."),
      copyable("API key", key),
      make("p", {}, "Send a notification with it:"),
      copyable("command", curlCommand(location.origin, key)),
    );
    onShown(key);
    await refresh();
  };
  const element = make(
    "section",
    { class: "card keys", "aria-labelledby": "keys" },
    make("h2", { id: "keys" }, "API keys"),
    make("p", { class: "quiet" }, "A script sends with a key; it reaches all your devices."),
    make("div", { class: "row" }, actionButton({ label: "Make an API key", status, run: create })),
    status.element,
    made,
    list,
  );
  return { element, refresh };
}

interface ItemOptions {
  readonly status: Status;
  readonly refresh: () => Promise<void>;
  /** Told the id of a key that was revoked. */
  readonly forget: (id: string) => void;
}

function itemOf(key: ApiKey, { status, refresh, forget }: ItemOptions): HTMLElement {
  const name = key.label ?? "API key";
  const revoke = async () => {
    if (!confirm(`Revoke the key …${key.hint}? What still sends with it is refused.`)) return;
    await client.keys.remove(key.id);
    forget(key.id);
    await refresh();
  };
  const button = actionButton({ label: "Revoke", className: "small", status, run: revoke });
  button.setAttribute("aria-label", `Revoke the key ending in ${key.hint}`);
  return make(
    "li",
    {},
    make(
      "div",
      { class: "row" },
      make("strong", {}, name),
      make("code", { class: "badge" }, `…${key.hint}`),
    ),
    make("p", { class: "quiet" }, ...useOf(key)),
    make("div", { class: "row" }, button),
  );
}

function useOf({ createdAt, lastUsedAt }: ApiKey): readonly Child[] {
  return lastUsedAt === null
    ? ["Never used, made ", makeTime(createdAt)]
    : ["Last used ", makeTime(lastUsedAt)];
}
