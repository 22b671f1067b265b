import type { Subscription } from "./app-streams.ts";

/**
 * Returns the topic under which an app gets the messages of a channel: the channel's own topic if the app listens to
 * the channel by name, otherwise the topic for all channels. Returns null if the app does not listen to the channel.
 */
export function selectTopic(
  subscriptions: readonly Subscription[],
  channel: string,
): string | null {
  const own = subscriptions.find((subscription) => subscription.channel === channel);
  const all = subscriptions.find((subscription) => subscription.channel === null);
  return (own ?? all)?.topic ?? null;
}

/** Returns the channels of subscriptions, each once; null for every channel. */
export function listSubscribedChannels(
  subscriptions: readonly Subscription[],
): readonly string[] | null {
  const channels = new Set<string>();
  for (const { channel } of subscriptions) {
    if (channel === null) return null;
    channels.add(channel);
  }
  return [...channels];
}
