import { cleanText } from "#content/readers.ts";
import { parseNtfyActions, type NtfyAction } from "./action.ts";
import { cleanFileName, createMessageText } from "./message-text.ts";
import { NtfyError } from "./ntfy-error.ts";
import { requestsFeature, isYes, type ReadNtfyParameter } from "./parameters.ts";
import { parseNtfyPriority, type NtfyPriority } from "./priority.ts";
import { splitTags } from "./tags.ts";

/** A message with the fields of ntfy's API. A text that is not given is "". */
export interface NtfyMessage {
  readonly topic: string;
  readonly title: string;
  readonly text: string;
  /** Null if it is not given. */
  readonly priority: NtfyPriority | null;
  readonly tags: readonly string[];
  readonly click: string;
  readonly icon: string;
  readonly attachment: NtfyAttachment | null;
  readonly actions: readonly NtfyAction[];
  readonly isMarkdown: boolean;
  readonly sequenceId: string;
}

/** A file that the message links to. */
export interface NtfyAttachment {
  readonly name: string;
  readonly url: string;
}

/** A message as it was sent: its topic, its parameters and its body. */
export interface NtfyPublication {
  readonly topic: string;
  readonly read: ReadNtfyParameter;
  readonly body: Uint8Array;
  /** Whether `body` is all of the request's body, and not only its beginning. */
  readonly isComplete: boolean;
}

/** Returns the message of a request; throws an `NtfyError` for a parameter that is invalid or not supported. */
export function parseNtfyMessage({ topic, read, body, isComplete }: NtfyPublication): NtfyMessage {
  refuseUnserved(read);
  const fileName = read("filename");
  const attachment = parseAttachment(read("attach"), fileName);
  const actions = read("actions");
  const linkedFileName = attachment?.name ?? null;
  return {
    topic,
    title: cleanText(read("title")),
    text: createMessageText({
      message: read("message"),
      body,
      isComplete,
      fileName,
      linkedFileName,
    }),
    priority: parseNtfyPriority(read("priority")),
    tags: splitTags(cleanText(read("tags"))),
    click: read("click"),
    icon: parseIcon(read("icon")),
    attachment,
    actions: actions === "" ? [] : parseNtfyActions(actions),
    isMarkdown: isYes(read("markdown")) || MARKDOWN_TYPE.test(read("contentType")),
    sequenceId: parseSequenceId(read("sequenceId")),
  };
}

const MARKDOWN_TYPE = /^text\/markdown\s*(?:;|$)/i;
const WEB_URL = /^https?:\/\//;

/** Refuses unsupported parameters that would change when or how the message arrives, or its text. */
function refuseUnserved(read: ReadNtfyParameter): void {
  if (read("email") !== "") throw new NtfyError(40001);
  if (requestsFeature(read("call"))) throw new NtfyError(40032);
  if (read("delay") !== "") throw new NtfyError(40004);
  if (requestsFeature(read("template"))) throw new NtfyError(40045);
}

function parseAttachment(url: string, fileName: string): NtfyAttachment | null {
  if (url === "") return null;
  if (!WEB_URL.test(url)) throw new NtfyError(40013);
  const lastSegment = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  return { name: cleanFileName(fileName === "" ? lastSegment : fileName), url };
}

function parseIcon(url: string): string {
  if (url === "" || WEB_URL.test(url)) return url;
  throw new NtfyError(40021);
}

/** Servers before ntfy 2.16 ignore these ids, so an invalid one is ignored too: the message must arrive. */
function parseSequenceId(text: string): string {
  return /^[-_A-Za-z0-9]{1,64}$/.test(text) ? text : "";
}
