import { DELIVERY_STATE_GROUPS, type DeliveryStateGroup } from "@tocsin/sdk";
import { parseOptions, formatSuggestion, usageError } from "../command.ts";
import { LOG } from "../descriptions/account-holders.ts";
import { isId } from "../find-by-name.ts";
import { parseLimit } from "../limit-option.ts";
import type { SignedInOptions } from "../signed-in-client.ts";
import { parseTime } from "../time-option.ts";

/** The filters of the list. Null matches everything; times are milliseconds since the epoch. */
export interface ListRequest {
  readonly state: DeliveryStateGroup | null;
  readonly channel: string | null;
  /** An id or a name. */
  readonly device: string | null;
  /** An id, a label, the hint that lists show, or `none`. */
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
  readonly state: DeliveryStateGroup | null;
  readonly limit: number;
  readonly isJson: boolean;
}

/** The parsed arguments of `tocsin log`. */
export type LogRequest = { readonly connection: SignedInOptions } & (
  | { readonly kind: "list"; readonly request: ListRequest }
  | { readonly kind: "explain"; readonly request: ExplainRequest }
);

/** Parses the arguments of `tocsin log`. Throws a usage error if they are invalid. */
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
        throw usageError(`--${name} applies only to the list: omit it or the ID.`);
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

function parseState(text: string | undefined): DeliveryStateGroup | null {
  if (text === undefined) return null;
  // `Object.keys` returns exactly the keys of DELIVERY_STATE_GROUPS.
  const states = Object.keys(DELIVERY_STATE_GROUPS) as readonly DeliveryStateGroup[];
  const state = states.find((candidate) => candidate === text);
  if (state !== undefined) return state;
  throw usageError(`--state must be one of ${states.join(", ")}.${formatSuggestion(text, states)}`);
}

function parseId(text: string): string {
  if (isId(text)) return text;
  throw usageError("ID must be the id of a notification; tocsin log and tocsin send print it.");
}
