/** The parts of a request that may contain a credential, as Fastify parses them. */
export interface CredentialSource {
  readonly authorization: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  /** "" for a request whose path has none. */
  readonly topic: string;
}

/** A topic that begins with a key: the key, and the topic after it. */
export interface KeyTopic {
  readonly key: string;
  /** Null if the key alone is the topic. */
  readonly rest: string | null;
}

/** A key in ntfy's format or a UUID, optionally followed by an underscore and a topic, or by other characters. */
const KEY_TOPIC =
  /^(?<key>tk_[a-z0-9]{29}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})(?:_(?<rest>[-_A-Za-z0-9]+)|(?<malformed>.+))?$/i;

/** Returns whether a topic begins with a key, whatever follows: it may be the secret of somebody who mistyped it. */
export function beginsWithKey(topic: string): boolean {
  return KEY_TOPIC.test(topic);
}

/**
 * Returns the parts of a topic that begins with a key; null if other characters than an underscore and a topic follow
 * the key.
 */
export function parseKeyTopic(topic: string): KeyTopic | null {
  const { key, rest = null, malformed } = KEY_TOPIC.exec(topic)?.groups ?? {};
  return key === undefined || malformed !== undefined ? null : { key, rest };
}

/**
 * Returns the key of a request; null if it has none. `?authorization=`, or else `?auth=`, contains the value of the
 * header `Authorization` in base64url and takes precedence over it (binwiederhier/ntfy: server/server.go,
 * readAuthHeader). The topic contains the key if a program can be configured only with a URL.
 */
export function readNtfyKey({ authorization, query, topic }: CredentialSource): string | null {
  const inQuery = readText(query["authorization"]) || readText(query["auth"]);
  const header = inQuery === "" ? authorization : Buffer.from(inQuery, "base64url").toString();
  return parseAuthorization((header ?? "").trim()) ?? parseKeyTopic(topic)?.key ?? null;
}

/** Returns a parameter, or the first of repeated ones; "" for any other value. */
function readText(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first : "";
}

/**
 * Returns the bearer token, or the Basic password, whatever the user name; null for another scheme. Returns the user
 * name if it is a key and the password is not: programs that ask for a token send it like this (Apprise 1.2 with the
 * password `None`).
 */
function parseAuthorization(header: string): string | null {
  const [, scheme = "", value = ""] = /^(bearer|basic) +(\S+)$/i.exec(header) ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  const pair = Buffer.from(value, "base64").toString();
  const [, userName = "", password = ""] = /^([^:]*):(.*)$/s.exec(pair) ?? [];
  if (!isKey(password) && isKey(userName)) return userName;
  return password === "" ? null : password;
}

function isKey(text: string): boolean {
  return parseKeyTopic(text)?.rest === null;
}
