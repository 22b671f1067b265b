import { foldNames } from "../fold-names.ts";
import { parseForeignJson } from "../foreign-json.ts";
import { NtfyError } from "./ntfy-error.ts";
import type { NtfyParameter, ReadNtfyParameter } from "./parameters.ts";
import { parseTopic } from "./topic.ts";

/** A message that was published as JSON. */
export interface JsonPublication {
  readonly topic: string;
  readonly text: string;
  /** Reads a parameter from the JSON; if the JSON does not have it, from the request. */
  readonly read: ReadNtfyParameter;
}

/** The text members of the JSON, by the name of their parameter. */
const TEXT_MEMBERS = {
  title: "title",
  click: "click",
  icon: "icon",
  attach: "attach",
  filename: "filename",
  sequenceId: "sequence_id",
  delay: "delay",
  email: "email",
  call: "call",
  template: "template",
} as const satisfies Partial<Record<NtfyParameter, string>>;

/**
 * Returns the message in the body of `POST /`, whatever its content type. Throws 40017 for a body that is not such JSON,
 * and 40009 for an invalid topic.
 */
export function parsePublishJson(body: Uint8Array, readOther: ReadNtfyParameter): JsonPublication {
  const fields = parseObject(body);
  const values = new Map<NtfyParameter, string>([
    ["priority", readPriority(fields["priority"])],
    ["tags", readTags(fields["tags"])],
    ["markdown", readWord(fields["markdown"])],
    ["actions", readActions(fields["actions"])],
  ]);
  for (const [parameter, member] of Object.entries(TEXT_MEMBERS)) {
    // The keys of `TEXT_MEMBERS` are parameters.
    values.set(parameter as NtfyParameter, readMember(fields[member]).trim());
  }
  return {
    topic: parseTopic(fields["topic"]),
    text: readMember(fields["message"]),
    read: (parameter) => values.get(parameter) || readOther(parameter),
  };
}

/** Returns the topic in the body of `POST /`; "" if it has none. */
export function findTopic(body: Uint8Array): string {
  try {
    return parseTopic(parseObject(body)["topic"]);
  } catch (error) {
    if (error instanceof NtfyError) return "";
    throw error;
  }
}

function parseObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parseJson(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return foldNames(value);
  }
  throw new NtfyError(40017);
}

function parseJson(body: Uint8Array): unknown {
  try {
    return parseForeignJson(body);
  } catch (error) {
    throw new NtfyError(40017, error instanceof Error ? error.message : null);
  }
}

function readMember(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw new NtfyError(40017);
}

/** Accepts a number, and every text that a header may contain. */
function readPriority(value: unknown): string {
  if (value === 0) return "";
  return typeof value === "number" ? String(value) : readMember(value).trim();
}

function readTags(value: unknown): string {
  if (!Array.isArray(value)) return readMember(value);
  return value.map((tag) => readMember(tag)).join(",");
}

function readWord(value: unknown): string {
  return typeof value === "boolean" ? String(value) : readMember(value).trim();
}

function readActions(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : readMember(value);
}
