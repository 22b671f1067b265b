import { setTimeout as wait } from "node:timers/promises";
import type { AppProof } from "@tocsin/sdk";
import {
  fetchText,
  keepResponse,
  keepWebSocket,
  type ConnectionEnd,
  type ConnectionOptions,
} from "./app-connections.ts";
import type { ShownMessages } from "./shown-messages.ts";

/** The credentials of an app: a topic and the header of its requests, or a token. */
export type AppAccess =
  | { readonly kind: "ntfy"; readonly topic: string; readonly authorization: string }
  | { readonly kind: "gotify"; readonly token: string };

/** Everything that a connection of an app needs. */
export interface AppConnectionDeps extends Pick<ConnectionOptions, "signal" | "isAsleep"> {
  /** The server's URL. */
  readonly url: string;
  readonly access: AppAccess;
  readonly messages: ShownMessages;
  /** The end of the connection before; null for the first one. */
  readonly lastEnd: ConnectionEnd | null;
  /** Called whenever the app knows that it is connected. */
  readonly onConnected: () => void;
}

/** Connects, goes on after the messages that are shown, and resolves with the end of the connection. */
type Connect = (deps: AppConnectionDeps) => Promise<ConnectionEnd>;

/** A way in which an app receives messages. */
export interface AppTransport {
  readonly name: string;
  readonly client: AppAccess["kind"];
  readonly connect: Connect;
  /** The proofs that the server may have of a message. */
  readonly proofs: readonly AppProof[];
  /** The time after a close frame in which the app notices nothing: twice the interval of its pings. */
  readonly deafMs: number;
}

const POLL_INTERVAL_MS = 1_000;
/** The raw format has no ids, so that its reader asks for the last minute again. That is longer than any fault delays a message. */
const RAW_REPEATED_MS = 60_000;
/** The limit of a page of missed messages (gotify/android: MissedMessageUtil.kt). */
const GOTIFY_PAGE_LIMIT = 10;

/** The ways in which the apps of a campaign receive messages. */
export const APP_TRANSPORTS: readonly [AppTransport, ...AppTransport[]] = [
  {
    name: "ntfy by WebSocket",
    client: "ntfy",
    proofs: ["answered", "resumed"],
    deafMs: 360_000,
    connect: (deps) =>
      keepWebSocket(toNtfyConnection(deps, `ws?since=${deps.messages.lastId ?? "all"}`), {
        onText: (text) => receiveEvent(deps, text),
      }),
  },
  {
    name: "ntfy by JSON",
    client: "ntfy",
    proofs: ["written", "resumed"],
    deafMs: 0,
    connect: (deps) =>
      keepResponse(toNtfyConnection(deps, `json?since=${deps.messages.lastId ?? "all"}`), (line) =>
        receiveEvent(deps, line),
      ),
  },
  {
    name: "ntfy by SSE",
    client: "ntfy",
    proofs: ["written", "resumed"],
    deafMs: 0,
    connect: (deps) =>
      keepResponse(toNtfyConnection(deps, `sse?since=${deps.messages.lastId ?? "all"}`), (line) => {
        if (line.startsWith("data: ")) receiveEvent(deps, line.slice("data: ".length));
      }),
  },
  {
    name: "ntfy by raw lines",
    client: "ntfy",
    proofs: ["written"],
    deafMs: 0,
    connect: (deps) =>
      keepResponse(toNtfyConnection(deps, `raw?since=${createRawSince(deps)}`), (line) => {
        if (line === "") deps.onConnected();
        else deps.messages.show(line, line);
      }),
  },
  {
    name: "ntfy by polls",
    client: "ntfy",
    proofs: ["fetched", "resumed"],
    deafMs: 0,
    connect: poll,
  },
  {
    name: "Gotify by WebSocket",
    client: "gotify",
    proofs: ["answered", "fetched"],
    deafMs: 120_000,
    connect: keepGotifyStream,
  },
];

function toNtfyConnection(
  { url, access, signal, isAsleep }: AppConnectionDeps,
  path: string,
): ConnectionOptions {
  if (access.kind !== "ntfy") throw new TypeError("The app has no topic.");
  const { topic, authorization } = access;
  const headers = { authorization, "user-agent": "ntfy/1.25.1 (fdroid; Android 15)" };
  return { url: `${url}/${topic}/${path}`, headers, signal, isAsleep };
}

function receiveEvent({ messages, onConnected }: AppConnectionDeps, text: string): void {
  // The format of ntfy's API.
  const { event, id, title } = JSON.parse(text) as Readonly<Record<string, string>>;
  if (event === "open") onConnected();
  else if (event === "message") messages.show(id ?? "", title ?? "");
}

function createRawSince({ messages }: AppConnectionDeps): string {
  const latestAt = messages.findLatestAt();
  return latestAt === null ? "all" : String(Math.floor((latestAt - RAW_REPEATED_MS) / 1_000));
}

async function poll(deps: AppConnectionDeps): Promise<ConnectionEnd> {
  const { messages, signal, onConnected } = deps;
  try {
    for (;;) {
      const since = messages.lastId ?? "all";
      const lines = await fetchText(toNtfyConnection(deps, `json?poll=1&since=${since}`));
      for (const line of lines.split("\n")) if (line !== "") receiveEvent(deps, line);
      onConnected();
      await wait(POLL_INTERVAL_MS, undefined, { signal });
    }
  } catch {
    return "cut";
  }
}

function keepGotifyStream(deps: AppConnectionDeps): Promise<ConnectionEnd> {
  const { url, access, messages, lastEnd, signal, isAsleep, onConnected } = deps;
  if (access.kind !== "gotify") throw new TypeError("The app has no token.");
  const headers = { "x-gotify-key": access.token };
  const connection = { url: `${url}/stream?token=${access.token}`, headers: {}, signal, isAsleep };
  return keepWebSocket(connection, {
    onOpen() {
      // The app asks for nothing after a close frame (gotify/android: WebSocketService.kt).
      if (lastEnd !== "cut") onConnected();
      // A failure ends the stream, too.
      else fetchMissed({ url, headers, signal, messages }).then(onConnected, () => {});
    },
    onText(text) {
      const { id, title } = JSON.parse(text) as GotifyMessage; // The format of Gotify's API.
      messages.show(String(id), title);
    },
  });
}

interface GotifyMessage {
  readonly id: number;
  readonly title: string;
}

interface GotifyPage {
  readonly paging: { readonly since: number; readonly next?: string };
  readonly messages: readonly GotifyMessage[];
}

/**
 * Reads pages, newest first, until they meet what is shown, and then shows the missed messages in their order. If that fails,
 * Gotify's app never alerts of them, and has them in its list. The next fetch stands for that list: it begins where the failed
 * one did, even if the stream has written later messages.
 */
async function fetchMissed({
  url,
  messages,
  ...request
}: Pick<ConnectionOptions, "url" | "headers" | "signal"> &
  Pick<AppConnectionDeps, "messages">): Promise<void> {
  const shownUpTo = messages.missingAfter ?? messages.findHighestNumber();
  messages.missingAfter = shownUpTo;
  const missed: GotifyMessage[] = [];
  let since = 0;
  for (;;) {
    const path = `message?limit=${GOTIFY_PAGE_LIMIT}&since=${since}`;
    // The format of Gotify's API.
    const page = JSON.parse(await fetchText({ url: `${url}/${path}`, ...request })) as GotifyPage;
    const newMessages = page.messages.filter(({ id }) => id > shownUpTo);
    missed.push(...newMessages);
    if (newMessages.length < page.messages.length || page.paging.next === undefined) break;
    since = page.paging.since;
  }
  for (const { id, title } of missed.toReversed()) messages.show(String(id), title);
  messages.missingAfter = null;
}
