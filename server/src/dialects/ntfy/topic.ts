import { NtfyError } from "./ntfy-error.ts";

/** A topic (binwiederhier/ntfy: server/server.go, topicRegex). */
const TOPIC_PATTERN = /^[-_A-Za-z0-9]{1,64}$/;

/**
 * Returns the pattern of a topic's path. It matches no name of our own paths, which take precedence, and no path that was
 * never a topic's: both are answered as without ntfy.
 */
export function createTopicPath(ownSegments: Iterable<string>): string {
  const names = Array.from(ownSegments).filter((name) => TOPIC_PATTERN.test(name));
  return `/:topic(^(?!(?:${names.join("|")})$)[-_A-Za-z0-9]{1,64}$)`;
}

/** Returns a topic; throws 40009 for any other text. */
export function parseTopic(text: unknown): string {
  if (typeof text === "string" && TOPIC_PATTERN.test(text)) return text;
  throw new NtfyError(40009);
}

/** Returns the channel of a topic: its name, in which channels have a hyphen where topics have an underscore. */
export function toChannel(topic: string): string {
  return topic.replaceAll("_", "-");
}
