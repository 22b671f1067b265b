/** A message of one node to the others. */
export interface NodeMessage {
  readonly topic: string;
  readonly body: unknown;
}

/** Messages as they travel; `from` is null on those that the database itself publishes. */
export interface Envelope {
  readonly from: string | null;
  readonly news: readonly NodeMessage[];
}

/** PostgreSQL carries at most 7,999 bytes; the rest is a margin for the frame. */
const TEXT_MAX_BYTES = 7_900;
/** Texts published by one statement. */
const TEXTS_MAX = 50;

/** Returns messages as texts, in batches. A message too long for one text is left out, as none may be relied on. */
export function pack(from: string, news: readonly NodeMessage[]): readonly (readonly string[])[] {
  const texts: string[] = [];
  let items: string[] = [];
  let bytes = 0;
  const close = () => {
    if (items.length > 0)
      texts.push(`{"from":${JSON.stringify(from)},"news":[${items.join(",")}]}`);
    items = [];
    bytes = 0;
  };
  const room = TEXT_MAX_BYTES - from.length;
  for (const item of unique(news)) {
    const size = Buffer.byteLength(item) + 1;
    if (size > room) continue;
    if (bytes + size > room) close();
    items.push(item);
    bytes += size;
  }
  close();
  return Array.from({ length: Math.ceil(texts.length / TEXTS_MAX) }, (_, index) =>
    texts.slice(index * TEXTS_MAX, (index + 1) * TEXTS_MAX),
  );
}

/** Returns the messages in a text; null for a text that no node of ours wrote. */
export function unpack(text: string): Envelope | null {
  try {
    const told: unknown = JSON.parse(text);
    if (typeof told !== "object" || told === null || !("news" in told)) return null;
    if (!Array.isArray(told.news)) return null;
    const from = "from" in told && typeof told.from === "string" ? told.from : null;
    return { from, news: told.news.filter(isMessage) };
  } catch {
    return null;
  }
}

function isMessage(value: unknown): value is NodeMessage {
  return (
    typeof value === "object" &&
    value !== null &&
    "topic" in value &&
    typeof value.topic === "string" &&
    "body" in value
  );
}

/** Removes duplicates: hints that work is due come by the hundred. */
function unique(news: readonly NodeMessage[]): ReadonlySet<string> {
  return new Set(news.map((item) => JSON.stringify(item)));
}
