/** One response, and the account that requested it. */
export interface RecordedResponse {
  /** Describes the request. */
  readonly source: string;
  /** Email address of the requesting account; null if the caller has none, and for a team key. */
  readonly ownEmail: string | null;
  readonly text: string;
}

/** Returns one sentence for each id of another account that a response contains, plain or encoded as in a cursor. */
export function describeForeignAccountIds(
  responses: readonly RecordedResponse[],
  accounts: readonly { readonly id: string; readonly email: string }[],
): readonly string[] {
  return responses.flatMap(({ source, ownEmail, text }) => {
    const decodings = decode(text);
    return accounts
      .filter(({ email }) => email !== ownEmail)
      .filter(({ id }) => decodings.some((decoding) => containsId(decoding, id)))
      .map(({ email }) => `${source} contains the account id of ${email}`);
  });
}

/** Returns the text in lower case, then its words decoded from Base64: as characters, and as hexadecimal bytes. */
function decode(text: string): readonly string[] {
  // An encoded id has more than 16 characters.
  const words = [...new Set(text.match(/[\w+/-]{16,}/g))].map((word) =>
    Buffer.from(word, "base64url"),
  );
  return [
    text.toLowerCase(),
    words.map((word) => word.toString("latin1").toLowerCase()).join("\n"),
    words.map((word) => word.toString("hex")).join("\n"),
  ];
}

function containsId(decoding: string, id: string): boolean {
  return decoding.includes(id) || decoding.includes(id.replaceAll("-", ""));
}
