import { foldNames } from "../fold-names.ts";
import { NtfyError } from "./ntfy-error.ts";
import { parseShortActions } from "./short-actions.ts";

/** A button of a message, as ntfy's apps read it (binwiederhier/ntfy: server/types.go; ntfy.sh/docs/publish for `copy`). */
export interface NtfyAction {
  /** Unique within the message. */
  readonly id: string;
  readonly action: NtfyActionKind;
  readonly label: string;
  /** Whether the notification disappears once the action is done. */
  readonly clear: boolean;
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly intent?: string;
  readonly value?: string;
  readonly extras?: Readonly<Record<string, string>>;
}

const NTFY_ACTION_KINDS = ["view", "broadcast", "http", "copy"] as const;
type NtfyActionKind = (typeof NTFY_ACTION_KINDS)[number];

/** Maximum number of actions of a message. */
const NTFY_ACTIONS_MAX = 3;

/**
 * Returns the actions of a message: a JSON list, a text with such a list, or a text in the short form. Throws 40018.
 * Equal inputs have equal ids, so that a repeated request is equal to the first.
 */
export function parseNtfyActions(input: unknown): readonly NtfyAction[] {
  const list = readActionList(input);
  if (list.length <= NTFY_ACTIONS_MAX) {
    return list.map((fields, index) => createAction(fields, index + 1));
  }
  throw new NtfyError(40018, `only ${NTFY_ACTIONS_MAX} actions allowed`);
}

function readActionList(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  if (typeof input !== "string") throw new NtfyError(40018, "actions must be a list");
  if (!input.trimStart().startsWith("[")) {
    // A body full of semicolons has so many actions that reading all of them takes a second.
    return parseShortActions(input, NTFY_ACTIONS_MAX + 1);
  }
  try {
    return JSON.parse(input) as unknown[]; // The text begins with a bracket.
  } catch {
    throw new NtfyError(40018, "JSON error");
  }
}

function createAction(input: unknown, number: number): NtfyAction {
  if (typeof input !== "object" || input === null) {
    throw new NtfyError(40018, "an action must be an object");
  }
  const fields = foldNames(input);
  const readText = (name: string) => readActionText(fields, name);
  const action = parseKind(readText("action"));
  const method = readText("method").toUpperCase();
  const common = {
    id: String(number),
    action,
    label: readText("label"),
    clear: readClear(fields["clear"]),
  };
  const texts = {
    url: readText("url"),
    method,
    body: readText("body"),
    intent: readText("intent"),
    value: readText("value"),
  };
  const maps = {
    headers: readTexts(fields, "headers"),
    extras: readTexts(fields, "extras"),
  };
  requireParts({ ...common, ...texts });
  return { ...common, ...omitEmpty(texts), ...omitEmpty(maps) };
}

function parseKind(text: string): NtfyActionKind {
  const kind = NTFY_ACTION_KINDS.find((name) => name === text.toLowerCase());
  if (kind !== undefined) return kind;
  throw new NtfyError(40018, "parameter 'action' must be 'view', 'broadcast', 'http' or 'copy'");
}

const REQUIRED_PARTS = { view: "url", http: "url", copy: "value", broadcast: null } as const;

function requireParts({ action, label, method, body, ...values }: NtfyAction): void {
  if (label === "") throw new NtfyError(40018, "parameter 'label' is required");
  const required = REQUIRED_PARTS[action];
  if (required !== null && values[required] === "") {
    throw new NtfyError(40018, `parameter '${required}' is required for action '${action}'`);
  }
  if (action === "http" && body !== "" && (method === "GET" || method === "HEAD")) {
    throw new NtfyError(40018, `parameter 'body' cannot be set if method is ${method}`);
  }
}

function readActionText(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name] ?? "";
  if (typeof value === "string") return value.toWellFormed();
  throw new NtfyError(40018, `parameter '${name}' must be a text`);
}

/** Accepts the words of the short form in JSON, too. */
function readClear(value: unknown): boolean {
  const word = JSON.stringify(value ?? false)
    .toLowerCase()
    .replaceAll('"', "");
  if (["true", "yes", "1"].includes(word)) return true;
  if (["false", "no", "0", ""].includes(word)) return false;
  throw new NtfyError(40018, "parameter 'clear' must be true or false");
}

/** Returns the texts of an object by name; throws for any other value. */
function readTexts(fields: Readonly<Record<string, unknown>>, name: string) {
  const value = fields[name] ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new NtfyError(40018, `parameter '${name}' must be an object`);
  }
  // An object that is neither null nor a list.
  const values = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.keys(values).map((key) => [key, readActionText(values, key)]));
}

/** Returns the object without its empty values. */
function omitEmpty<T extends object>(values: T): Partial<T> {
  const set = Object.entries(values).filter(([, value]) =>
    typeof value === "string" ? value !== "" : Object.keys(value as object).length > 0,
  );
  // Only properties of `T` are left.
  return Object.fromEntries(set) as Partial<T>;
}
