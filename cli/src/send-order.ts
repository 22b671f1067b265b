import { LIMITS, SOUNDS, type Notification, type SendOptions, type Sound } from "@tocsin/sdk";
import { parseOptions, usageError } from "./command.ts";

/** What `tocsin send` was asked to do; checked as far as no server is needed for it. */
export interface SendOrder {
  /** Null where standard input has it. */
  readonly body: string | null;
  readonly fields: Omit<Notification, "body">;
  readonly how: "sync" | "async" | { readonly groupId: string };
  readonly options: Pick<SendOptions, "ttlSeconds" | "idempotencyKey">;
  readonly key: string | null;
  readonly url: string | null;
  readonly isJson: boolean;
}

/** Returns what the arguments ask for; throws a usage error. */
export function parseSendOrder(args: readonly string[]): SendOrder {
  const { values, positionals } = parseOptions({ args, options: OPTIONS, allowPositionals: true });
  const [title, body = null, ...more] = positionals;
  if (title === undefined) throw usageError("Give a TITLE.");
  if (more.length > 0) throw usageError("Give one TITLE and one BODY: put each in quotes.");
  const { sound, ttl, key, url } = values;
  return {
    body: body === "-" ? null : body,
    fields: {
      title,
      sound: sound === undefined ? null : parseSound(sound),
      channel: values.channel ?? null,
      link: values.link ?? null,
      image: values.image ?? null,
      timeSensitive: values["time-sensitive"],
    },
    how: parseHow(values.group, values.async),
    options: {
      ...(ttl === undefined ? {} : { ttlSeconds: parseTtl(ttl) }),
      ...parseIdempotencyKey(values["idempotency-key"]),
    },
    key: key ?? null,
    url: url ?? null,
    isJson: values.json,
  };
}

const OPTIONS = {
  key: { type: "string" },
  url: { type: "string" },
  channel: { type: "string" },
  sound: { type: "string" },
  link: { type: "string" },
  image: { type: "string" },
  "time-sensitive": { type: "boolean", default: false },
  ttl: { type: "string" },
  group: { type: "string" },
  async: { type: "boolean", default: false },
  "idempotency-key": { type: "string" },
  json: { type: "boolean", default: false },
} as const;

function parseSound(text: string): Sound {
  const sound = SOUNDS.find((name) => name === text);
  if (sound !== undefined) return sound;
  throw usageError(`--sound is one of ${SOUNDS.join(", ")}.`);
}

function parseHow(groupId: string | undefined, isAsync: boolean): SendOrder["how"] {
  if (groupId === undefined) return isAsync ? "async" : "sync";
  if (isAsync) throw usageError("--group waits for the results: leave --async out.");
  if (!/^[\w-]+$/.test(groupId)) throw usageError("--group is the id of a device group.");
  return { groupId };
}

function parseTtl(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= LIMITS.ttlSecondsMin && seconds <= LIMITS.ttlSecondsMax) return seconds;
  throw usageError(
    `--ttl is a number of seconds from ${LIMITS.ttlSecondsMin} to ${LIMITS.ttlSecondsMax}.`,
  );
}

/** Other characters do not fit in a header. */
function parseIdempotencyKey(text: string | undefined): Pick<SendOptions, "idempotencyKey"> {
  if (text === undefined) return {};
  const isHeader = /^[!-~]([ -~]*[!-~])?$/.test(text);
  if (isHeader && text.length <= LIMITS.idempotencyKeyLength) return { idempotencyKey: text };
  throw usageError(
    `--idempotency-key has 1 to ${LIMITS.idempotencyKeyLength} printable ASCII characters.`,
  );
}
