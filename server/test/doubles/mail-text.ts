interface Part {
  /** Header values by lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Returns the decoded subject of a raw message (RFC 2047); empty if there is none. */
export function readSubject(raw: string): string {
  const subject = readPart(raw).headers.get("subject") ?? "";
  const joined = subject.replaceAll(/\?=\s+=\?/gu, "?==?");
  return joined.replaceAll(
    /=\?[^?]+\?(?<encoding>[BQ])\?(?<text>[^?]*)\?=/giu,
    (_word, encoding: string, text: string) =>
      encoding.toUpperCase() === "B"
        ? Buffer.from(text, "base64").toString()
        : decodeQuoted(text.replaceAll("_", " ")),
  );
}

/** Returns the decoded first text/plain part of a raw message (RFC 2045 and 2046); null if there is none. */
export function readPlainText(raw: string): string | null {
  const part = readPart(raw);
  const type = part.headers.get("content-type") ?? "text/plain";
  const boundary = /^multipart\/.*boundary="?(?<boundary>[^";]+)/iu.exec(type)?.groups?.[
    "boundary"
  ];
  if (boundary !== undefined) {
    const [, ...parts] = `\r\n${part.body}`.split(`\r\n--${boundary}`);
    const texts = parts.map((inner) => readPlainText(inner.replace(/^[^\n]*\n/u, "")));
    return texts.find((text) => text !== null) ?? null;
  }
  return /^text\/plain/iu.test(type) ? decodeBody(part) : null;
}

function readPart(raw: string): Part {
  const end = /(?:^|\r\n)\r\n/u.exec(raw);
  const header = raw.slice(0, end?.index ?? raw.length);
  const body = end === null ? "" : raw.slice(end.index + end[0].length);
  const lines = header.replaceAll(/\r\n[ \t]+/gu, " ").split("\r\n");
  const pairs = lines.map((line) => {
    const colonIndex = line.indexOf(":");
    return [line.slice(0, colonIndex).toLowerCase(), line.slice(colonIndex + 1).trim()] as const;
  });
  return { headers: new Map(pairs), body };
}

function decodeBody({ headers, body }: Part): string {
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  return encoding === "quoted-printable" ? decodeQuoted(body) : body;
}

function decodeQuoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/gu, "")
    .replaceAll(/=(?<hex>[\dA-F]{2})/giu, (_escape, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, "latin1").toString();
}
