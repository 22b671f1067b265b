import { AppError } from "#errors.ts";
import { isAutomaticRequest, type AutomaticRequestHeaders } from "./automatic-request.ts";

/**
 * Refuses a GET or HEAD request that would send. Throws `post_only` for a key that allows POST only, because some programs
 * open links without identifying themselves, and `preview_blocked` for link previews, prefetches and crawlers.
 */
export function refuseAutomaticGet(
  { isPostOnly }: { readonly isPostOnly: boolean },
  headers: AutomaticRequestHeaders,
): void {
  if (isPostOnly) throw new AppError("post_only", POST_ONLY_MESSAGE);
  if (isAutomaticRequest(headers)) throw new AppError("preview_blocked", PREVIEW_MESSAGE);
}

const POST_ONLY_MESSAGE =
  "This key allows POST only; nothing was sent. Use POST, or allow GET for the key in the console.";
const PREVIEW_MESSAGE =
  "This looks like a link preview or prefetch; nothing was sent. Use POST to send.";
