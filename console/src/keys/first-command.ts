import { EMPTY_WORDING } from "../notifications/content/wording.ts";
import { SNIPPETS } from "./builder/snippets.ts";

/** Returns a shell command that sends a first notification with a key. */
export function firstCommand(key: string): string {
  return SNIPPETS.curl({
    origin: location.origin,
    key,
    groupId: "",
    ...EMPTY_WORDING,
    title: "Hello",
    body: "From the command line",
    isAwaited: true,
  });
}
