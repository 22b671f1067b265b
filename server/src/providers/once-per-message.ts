import type { Message } from "./provider.ts";

/**
 * Returns a function that computes something once per message, for all of its devices, and keeps it as long as the message.
 */
export function oncePerMessage<T>(make: (message: Message) => T): (message: Message) => T {
  const made = new WeakMap<Message, { readonly value: T }>();
  return (message) => {
    const known = made.get(message);
    if (known !== undefined) return known.value;
    const value = make(message);
    made.set(message, { value });
    return value;
  };
}
