const PLACEHOLDER = "<secret>";

/** How many causes of an error are inspected. */
const CAUSE_DEPTH_LIMIT = 8;

/** Returns the text with every secret replaced, in clear and URL-encoded. */
export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    clean = clean
      .replaceAll(secret, PLACEHOLDER)
      .replaceAll(encodeURIComponent(secret), PLACEHOLDER);
  }
  return clean;
}

/**
 * Returns the cause itself if it contains no secret, else an error with the same message without it. Some runtimes put
 * the whole URL, or the value of a header, into the message of an error of `fetch`.
 */
export function redactCause(cause: unknown, secrets: readonly string[]): unknown {
  const texts: string[] = [];
  let stacks = "";
  let current = cause;
  for (let depth = 0; current instanceof Error && depth < CAUSE_DEPTH_LIMIT; depth += 1) {
    texts.push(current.message);
    stacks += current.stack ?? "";
    current = current.cause;
  }
  const said = texts.join(": ");
  const all = said + stacks + (typeof current === "string" ? current : "");
  return redactText(all, secrets) === all ? cause : new Error(redactText(said, secrets));
}
