import type { Subscription } from "#apps/app-streams.ts";
import { beginsWithKey } from "../credential.ts";
import { NtfyError } from "../ntfy-error.ts";
import { parseTopic, toChannel } from "../topic.ts";

/** The own topic of the app that subscribes, and the names that no topic may have. */
export interface SubscriptionContext {
  /** The app's own topic, which has the messages of every channel. */
  readonly ownTopic: string;
  readonly isReservedName: (name: string) => boolean;
}

/**
 * Returns the topics in a path, which are separated by commas. Every well-formed topic is allowed, because an app asks for
 * all its topics at once, and a topic that the server does not know must not cost the app the others. Throws 40009 for a
 * malformed topic and for too many, and 40010 for a reserved name and for a topic that begins with a key, which is a
 * secret.
 */
export function parseSubscriptions(
  topics: string,
  { ownTopic, isReservedName }: SubscriptionContext,
): readonly Subscription[] {
  const names = new Set(topics.split(",").map(parseTopic));
  if (names.size > TOPICS_MAX) throw new NtfyError(40009, `at most ${TOPICS_MAX} topics`);
  return Array.from(names, (topic) => {
    if (isReservedName(topic) || beginsWithKey(topic)) throw new NtfyError(40010);
    return { topic, channel: topic === ownTopic ? null : toChannel(topic) };
  });
}

/** Maximum number of topics of a request. */
const TOPICS_MAX = 500;
