import {
  CONTENT_FIELDS,
  LIMITS,
  type ContentField,
  type Notification,
  type SendOptions,
} from "@tocsin/sdk";
import { parseInteractionFields, type InteractionValues } from "./interaction-arguments.ts";
import { parseOptions, formatSuggestion, usageError } from "./command.ts";
import { SEND } from "./descriptions/send.ts";
import {
  OPTIONAL_FIELDS,
  toOptionName,
  type CONTENT_OPTIONS,
  type OptionalField,
} from "./descriptions/content-options.ts";
import type { KeyOptions } from "./key-client.ts";
import { parseSeconds } from "./seconds-option.ts";

/** The parsed arguments of `tocsin send`, validated as far as possible without a server. */
export interface SendArguments {
  /** Null to read the body from standard input. */
  readonly body: string | null;
  readonly fields: Omit<Notification, "body">;
  readonly mode: "sync" | "async" | { readonly groupId: string };
  readonly options: Pick<SendOptions, "ttlSeconds" | "idempotencyKey">;
  /** How long to wait for the final outcomes; null to not wait. */
  readonly waitMs: number | null;
  readonly connection: KeyOptions;
  readonly isJson: boolean;
}

/** Parses the arguments of `tocsin send`. Throws a usage error if they are invalid. */
export function parseSendArguments(args: readonly string[]): SendArguments {
  const { values, positionals } = parseOptions({
    args,
    options: SEND.options,
    allowPositionals: true,
  });
  const [title, body = null, ...more] = positionals;
  if (title === undefined) throw usageError("Give a TITLE.");
  if (more.length > 0) throw usageError("Give one TITLE and one BODY: put each in quotes.");
  const { ttl, key, url, group, json = false } = values;
  return {
    body: body === "-" ? null : body,
    fields: { title, ...parseContentFields(values), ...parseInteractionFields(values) },
    mode: parseMode(group, values.async === true),
    options: {
      ...(ttl === undefined ? {} : { ttlSeconds: parseTtl(ttl) }),
      ...parseIdempotencyKey(values["idempotency-key"]),
    },
    waitMs: parseWaitMs(values),
    connection: { key, url, "allow-http": values["allow-http"] },
    isJson: json,
  };
}

type ContentValues = Partial<Record<keyof typeof CONTENT_OPTIONS, string | boolean>>;

/** Returns the optional fields of the content in the form of a request. Throws a usage error for an unknown choice. */
export function parseContentFields(values: ContentValues): Pick<Notification, OptionalField> {
  return Object.fromEntries(
    OPTIONAL_FIELDS.map((field) => [field, parseField(field, values)]),
  ) as Pick<Notification, OptionalField>; // `parseField` returns the type that the field's kind has.
}

function parseField(name: OptionalField, values: ContentValues): string | boolean | null {
  const field: ContentField = CONTENT_FIELDS[name];
  const option = toOptionName(name);
  const value = values[option];
  if (field.kind === "flag") return value === true;
  if (typeof value !== "string") return null;
  if (field.kind !== "choice" && field.kind !== "level") return value;
  const { values: choices } = field;
  if (choices.includes(field.kind === "level" ? value.toLowerCase() : value)) return value;
  throw usageError(
    `--${option} must be one of ${choices.join(", ")}.${formatSuggestion(value, choices)}`,
  );
}

function parseMode(groupId: string | undefined, isAsync: boolean): SendArguments["mode"] {
  if (groupId === undefined) return isAsync ? "async" : "sync";
  if (isAsync) throw usageError("--group waits for the results: leave --async out.");
  if (!/^[\w-]+$/.test(groupId)) throw usageError("--group must be the id of a device group.");
  return { groupId };
}

function parseTtl(text: string): number {
  return parseSeconds("--ttl", text, { min: LIMITS.ttlSecondsMin, max: LIMITS.ttlSecondsMax });
}

const WAIT_DEFAULT_SECONDS = 300;
/** Half of the idempotency window, within which a repeated request polls the result. */
const WAIT_MAX_SECONDS = 12 * 60 * 60;

interface WaitFlags extends Pick<InteractionValues, "acknowledge" | "resolve"> {
  readonly wait?: boolean;
  readonly async?: boolean;
  readonly timeout?: string;
}

function parseWaitMs(flags: WaitFlags): number | null {
  const { wait = false, async = false, acknowledge = false, resolve = false, timeout } = flags;
  if (!wait && timeout !== undefined) throw usageError("--timeout needs --wait.");
  if (!wait) return null;
  if (async) throw usageError("--wait waits for the results: leave --async out.");
  if (acknowledge || resolve)
    throw usageError("--acknowledge and --resolve do not wait for devices: leave --wait out.");
  if (timeout === undefined) return WAIT_DEFAULT_SECONDS * 1_000;
  return parseSeconds("--timeout", timeout, { min: 1, max: WAIT_MAX_SECONDS }) * 1_000;
}

/** Returns the idempotency key. Throws a usage error unless it is a valid header value. */
function parseIdempotencyKey(text: string | undefined): Pick<SendOptions, "idempotencyKey"> {
  if (text === undefined) return {};
  const isHeader = /^[!-~]([ -~]*[!-~])?$/.test(text);
  if (isHeader && text.length <= LIMITS.idempotencyKeyLength) return { idempotencyKey: text };
  throw usageError(
    `--idempotency-key must have 1 to ${LIMITS.idempotencyKeyLength} printable ASCII characters.`,
  );
}
