import { formatTimestamp } from "./timestamp.tsx";

/** Returns a sentence of the server with its times in the reader's language and time zone. */
export function localizeTimes(sentence: string): string {
  return sentence.replaceAll(TIMES, (time) => formatTimestamp(time));
}

/** The server writes times as RFC 3339 in UTC. */
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/gu;
