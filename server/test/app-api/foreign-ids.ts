/** One answer, and who asked for it. */
export interface Heard {
  readonly what: string;
  /** The address of the account that asked; null for nobody who is signed in, and for a team's key. */
  readonly own: string | null;
  readonly text: string;
}

/** Returns which answers hold the id of an account that did not ask, as it is or as a cursor might carry it. */
export function foreignIds(
  heard: readonly Heard[],
  accounts: readonly { readonly id: string; readonly email: string }[],
): readonly string[] {
  return heard.flatMap(({ what, own, text }) => {
    const readings = readingsOf(text);
    return accounts
      .filter(({ email }) => email !== own)
      .filter(({ id }) => readings.some((reading) => holds(reading, id)))
      .map(({ email }) => `${what} holds the account id of ${email}`);
  });
}

/** A text as it is, and what its words mean as Base64 of texts and of bytes. */
function readingsOf(text: string): readonly string[] {
  const words = [...new Set(text.match(/[\w+/-]{16,}/g))].map((word) =>
    Buffer.from(word, "base64url"),
  );
  return [
    text.toLowerCase(),
    words.map((word) => word.toString("latin1").toLowerCase()).join("\n"),
    words.map((word) => word.toString("hex")).join("\n"),
  ];
}

function holds(reading: string, id: string): boolean {
  return reading.includes(id) || reading.includes(id.replaceAll("-", ""));
}
