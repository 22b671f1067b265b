import { SNIPPETS } from "./builder/snippets.ts";

/** Returns the shell command that sends a first notification with a key. */
export function firstCommand(key: string): string {
  return SNIPPETS.curl({
    origin: location.origin,
    key,
    groupId: "",
    title: "Hello",
    body: "From the command line",
    sound: "",
    channel: "",
    link: "",
    image: "",
    isTimeSensitive: false,
    isMarkdown: false,
    isAwaited: true,
  });
}
