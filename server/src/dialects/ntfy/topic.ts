import { NtfyError } from "./ntfy-error.ts";

/** A topic (binwiederhier/ntfy: server/server.go, topicRegex). */
const TOPIC_PATTERN = /^[-_A-Za-z0-9]{1,64}$/;

/**
 * Returns the pattern of a topic's path. It matches neither our own paths, which take precedence, nor text that cannot be
 * a topic: the server responds to both as if ntfy were off.
 */
export function createTopicPath(ownSegments: Iterable<string>): string {
  return `/:topic(^${excludeNames(ownSegments)}[-_A-Za-z0-9]{1,64}$)`;
}

/** Returns the pattern of a path with one or more topics, which are separated by commas. */
export function createTopicsPath(ownSegments: Iterable<string>): string {
  // Refuses empty topics, and those of more than 64 characters. The router accepts no repetition within another one.
  const emptyOrLong = "(?!,|.*,,|.*,$|.*[^,]{65})";
  return `/:topics(^${excludeNames(ownSegments)}${emptyOrLong}[-_,A-Za-z0-9]+$)`;
}

function excludeNames(ownSegments: Iterable<string>): string {
  const names = Array.from(ownSegments).filter((name) => TOPIC_PATTERN.test(name));
  return `(?!(?:${names.join("|")})$)`;
}

/** Returns a topic; throws 40009 for any other text. */
export function parseTopic(text: unknown): string {
  if (typeof text === "string" && TOPIC_PATTERN.test(text)) return text;
  throw new NtfyError(40009);
}

/** Returns the channel of a topic: the same name with hyphens instead of underscores. */
export function toChannel(topic: string): string {
  return topic.replaceAll("_", "-");
}
