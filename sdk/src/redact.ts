const SECRET_PLACEHOLDER = "<secret>";

/** The number of nested causes of an error that are inspected. */
const CAUSE_DEPTH_MAX = 8;

/** Returns the text with every secret replaced, in plain text and URL-encoded. */
export function redactText(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    redacted = redacted
      .replaceAll(secret, SECRET_PLACEHOLDER)
      .replaceAll(encodeURIComponent(secret), SECRET_PLACEHOLDER);
  }
  return redacted;
}

/**
 * Returns the cause itself if it contains no secret, else an error with the redacted message. Some runtimes put the
 * whole URL, or the value of a header, into the message of a `fetch` error.
 */
export function redactCause(cause: unknown, secrets: readonly string[]): unknown {
  const messages: string[] = [];
  let stackText = "";
  let current = cause;
  for (let depth = 0; current instanceof Error && depth < CAUSE_DEPTH_MAX; depth += 1) {
    messages.push(current.message);
    stackText += current.stack ?? "";
    current = current.cause;
  }
  const messageText = messages.join(": ");
  const searchedText = messageText + stackText + (typeof current === "string" ? current : "");
  return redactText(searchedText, secrets) === searchedText
    ? cause
    : new Error(redactText(messageText, secrets));
}
