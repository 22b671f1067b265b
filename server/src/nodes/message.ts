/** A message of one node to the others. */
export interface NodeMessage {
  readonly topic: string;
  readonly body: unknown;
}

/**
 * A batch of messages. `from` is null if the database itself published them. On the channel, `news` holds the messages:
 * nodes of earlier versions and the triggers of the database use this name.
 */
export interface Envelope {
  readonly from: string | null;
  readonly messages: readonly NodeMessage[];
}

/** PostgreSQL allows at most 7,999 bytes; the rest is a margin for the envelope. */
const TEXT_MAX_BYTES = 7_900;
/** Maximum number of strings per statement. */
const TEXTS_PER_STATEMENT_MAX = 50;

/**
 * Serializes messages to strings, in batches. Leaves out a message that does not fit into one string: no caller relies
 * on delivery.
 */
export function encodeMessages(
  from: string,
  messages: readonly NodeMessage[],
): readonly (readonly string[])[] {
  const texts: string[] = [];
  let items: string[] = [];
  let usedBytes = 0;
  const flush = () => {
    if (items.length > 0)
      texts.push(`{"from":${JSON.stringify(from)},"news":[${items.join(",")}]}`);
    items = [];
    usedBytes = 0;
  };
  const capacityBytes = TEXT_MAX_BYTES - from.length;
  for (const item of serializeDistinct(messages)) {
    // With the comma after it.
    const sizeBytes = Buffer.byteLength(item) + 1;
    if (sizeBytes > capacityBytes) continue;
    if (usedBytes + sizeBytes > capacityBytes) flush();
    items.push(item);
    usedBytes += sizeBytes;
  }
  flush();
  return Array.from({ length: Math.ceil(texts.length / TEXTS_PER_STATEMENT_MAX) }, (_, index) =>
    texts.slice(index * TEXTS_PER_STATEMENT_MAX, (index + 1) * TEXTS_PER_STATEMENT_MAX),
  );
}

/** Parses the messages in a string; returns null if no Tocsin node wrote it. */
export function decodeMessages(text: string): Envelope | null {
  try {
    const envelope: unknown = JSON.parse(text);
    if (typeof envelope !== "object" || envelope === null || !("news" in envelope)) return null;
    if (!Array.isArray(envelope.news)) return null;
    const from = "from" in envelope && typeof envelope.from === "string" ? envelope.from : null;
    return { from, messages: envelope.news.filter(isNodeMessage) };
  } catch {
    return null;
  }
}

function isNodeMessage(value: unknown): value is NodeMessage {
  return (
    typeof value === "object" &&
    value !== null &&
    "topic" in value &&
    typeof value.topic === "string" &&
    "body" in value
  );
}

/** Serializes messages without duplicates: hundreds of hints about due work may be equal. */
function serializeDistinct(messages: readonly NodeMessage[]): ReadonlySet<string> {
  return new Set(messages.map((item) => JSON.stringify(item)));
}
