import { DELIVERY_FATES, type DeliveryFate } from "@tocsin/sdk";
import { parseOptions, formatSuggestion, usageError } from "../command.ts";
import { LOG } from "../descriptions/account-holders.ts";
import { isId } from "../find-by-name.ts";
import { parseLimit } from "../limit-option.ts";
import type { SignedInOptions } from "../signed-in-client.ts";
import { parseTime } from "../time-option.ts";

/** The filters of the list. Null matches everything; times are milliseconds since the epoch. */
export interface ListRequest {
  readonly state: DeliveryFate | null;
  readonly channel: string | null;
  /** An id or a name. */
  readonly device: string | null;
  /** An id, a label, or a hint: the shown last characters. */
  readonly key: string | null;
  readonly code: string | null;
  readonly search: string | null;
  readonly since: number | null;
  readonly until: number | null;
  readonly limit: number;
  readonly isJson: boolean;
}

/** The notification to explain, and the filter of its deliveries. */
export interface ExplainRequest {
  readonly id: string;
  readonly state: DeliveryFate | null;
  readonly limit: number;
  readonly isJson: boolean;
}

/** The parsed arguments of `tocsin log`. */
export type LogRequest = { readonly connection: SignedInOptions } & (
  | { readonly kind: "list"; readonly request: ListRequest }
  | { readonly kind: "explain"; readonly request: ExplainRequest }
);

/** Parses the arguments of `tocsin log`; throws a usage error. */
export function parseLogRequest(args: readonly string[], now: number): LogRequest {
  const { options } = LOG;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const [id, ...more] = positionals;
  if (more.length > 0) throw usageError("Give one ID, or none for the list.");
  const connection = { url: values.url, "allow-http": values["allow-http"] };
  const state = parseState(values.state);
  const isJson = values.json === true;
  if (id !== undefined) {
    for (const name of LIST_OPTIONS) {
      if (values[name] !== undefined)
        throw usageError(`--${name} is for the list: leave it or the ID out.`);
    }
    const limit = parseLimit(values.limit, DEVICE_LIMIT_DEFAULT);
    return { connection, kind: "explain", request: { id: parseId(id), state, limit, isJson } };
  }
  const request: ListRequest = {
    state,
    channel: values.channel ?? null,
    device: values.device ?? null,
    key: values.key ?? null,
    code: values.code ?? null,
    search: values.search ?? null,
    since: parseTime(values.since, { optionName: "--since", now, durationDirection: "ago" }),
    until: parseTime(values.until, { optionName: "--until", now, durationDirection: "ago" }),
    limit: parseLimit(values.limit, LIST_LIMIT_DEFAULT),
    isJson,
  };
  return { connection, kind: "list", request };
}

const LIST_OPTIONS = ["channel", "device", "key", "code", "search", "since", "until"] as const;

const LIST_LIMIT_DEFAULT = 20;
const DEVICE_LIMIT_DEFAULT = 500;
function parseState(text: string | undefined): DeliveryFate | null {
  if (text === undefined) return null;
  // `Object.keys` returns exactly the keys of DELIVERY_FATES.
  const states = Object.keys(DELIVERY_FATES) as readonly DeliveryFate[];
  const state = states.find((candidate) => candidate === text);
  if (state !== undefined) return state;
  throw usageError(`--state is one of ${states.join(", ")}.${formatSuggestion(text, states)}`);
}

function parseId(text: string): string {
  if (isId(text)) return text;
  throw usageError("ID is the id of a notification, as tocsin log and tocsin send print it.");
}
