import { decodeHeader } from "./decode-header.ts";

/** The names of each parameter of a message or subscription, in order of precedence (binwiederhier/ntfy: server/server.go). */
const PARAMETER_NAMES = {
  message: ["x-message", "message", "m"],
  title: ["x-title", "title", "t"],
  priority: ["x-priority", "priority", "prio", "p"],
  tags: ["x-tags", "tags", "tag", "ta"],
  click: ["x-click", "click"],
  icon: ["x-icon", "icon"],
  attach: ["x-attach", "attach", "a"],
  filename: ["x-filename", "filename", "file", "f"],
  actions: ["x-actions", "actions", "action"],
  markdown: ["x-markdown", "markdown", "md"],
  contentType: ["content-type", "content_type"],
  sequenceId: ["x-sequence-id", "sequence-id", "sid"],
  delay: ["x-delay", "delay", "x-at", "at", "x-in", "in"],
  email: ["x-email", "x-e-mail", "email", "e-mail", "mail", "e"],
  call: ["x-call", "call"],
  template: ["x-template", "template", "tpl"],
  id: ["x-id", "id"],
  since: ["x-since", "since", "si"],
  poll: ["x-poll", "poll", "po"],
  token: ["x-token", "token"],
} as const;

/** A parameter of a message or subscription. */
export type NtfyParameter = keyof typeof PARAMETER_NAMES;

/** Returns the trimmed value of a parameter; "" if it is not given. */
export type ReadNtfyParameter = (parameter: NtfyParameter) => string;

/** The parts of a request that may contain parameters, with the headers as Node reads them. */
export interface ParameterSource {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As Fastify parses it: strings, and lists of strings for repeated parameters. */
  readonly query: unknown;
}

/** Returns a function that reads a parameter of a request under any of its names, in any letter case, headers first. */
export function createParameterReader({ headers, query }: ParameterSource): ReadNtfyParameter {
  const queryValues = readQuery(query);
  return (parameter) => {
    const names: readonly string[] = PARAMETER_NAMES[parameter];
    const fromHeaders = names.map((name) => readHeader(name, headers[name]));
    const fromQuery = names.map((name) => queryValues.get(name) ?? "");
    return [...fromHeaders, ...fromQuery].find((value) => value !== "") ?? "";
  };
}

function readHeader(name: string, value: string | readonly string[] | undefined): string {
  const text = decodeHeader([value ?? ""].flat().join(", ")).trim();
  return name === "priority" && HTTP_PRIORITY.test(text) ? "" : text;
}

/** The header `Priority` of RFC 9218, which browsers and proxies add, is not a priority of ntfy. */
const HTTP_PRIORITY = /^(?:u=\d|i(?:=\?[01])?)(?:\s*,\s*(?:u=\d|i(?:=\?[01])?|\d))*$/;

/** Returns the first value that is not blank of each parameter, by its name in lower case. */
function readQuery(query: unknown): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  // Fastify parses queries into objects of strings and lists of strings.
  for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
    const text = [value].flat().find((item) => item.trim() !== "");
    const key = name.toLowerCase();
    if (text !== undefined && !values.has(key)) values.set(key, text.trim());
  }
  return values;
}

/** Returns whether a parameter is set to yes. */
export function isYes(value: string): boolean {
  return ["1", "yes", "true"].includes(value.toLowerCase());
}

/** Returns whether the value of a parameter asks for its feature: any value except an empty one and a no. */
export function requestsFeature(value: string): boolean {
  return !["", "0", "no", "false"].includes(value.toLowerCase());
}
