import { EMPTY_FORM_CONTENT } from "../notifications/content/form-content.ts";
import { SNIPPET_FORMATTERS } from "./builder/snippets.ts";

/** Returns a shell command that sends a first notification with a key. */
export function createFirstCommand(key: string): string {
  return SNIPPET_FORMATTERS.curl({
    origin: location.origin,
    key,
    groupId: "",
    ...EMPTY_FORM_CONTENT,
    title: "Hello",
    body: "From the command line",
    waitsForResults: true,
  });
}
