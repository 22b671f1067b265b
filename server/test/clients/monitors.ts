import type { Answer } from "../contract/ask.ts";
import {
  judgeByStatus,
  postJson,
  type RecordedClient,
  type Sending,
  type Verdict,
} from "./recorded-client.ts";

/** Headers that Python's requests adds. */
const REQUESTS = { "accept-encoding": "gzip, deflate", accept: "*/*", connection: "keep-alive" };

/** Headers that axios 1 adds in Node. */
const AXIOS = {
  accept: "application/json, text/plain, */*",
  "content-type": "application/json",
  "user-agent": "axios/1.7.9",
  "accept-encoding": "gzip, compress, deflate, br",
};

/** Every two of the four that Python's json.dumps escapes by itself: all that is not ASCII. */
function escapeLikePython(text: string): string {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** 1.2.0, as Debian 12 has it, and 1.9: the requests differ in nothing. */
function askLikeApprise({ key, title, body }: Sending) {
  const headers = {
    ...REQUESTS,
    "user-agent": "Apprise",
    "content-type": "application/json",
  };
  const question = postJson({ key, headers }, { title, body });
  return { ...question, body: escapeLikePython(String(question.body)) };
}

function judgeLikeApprise({ status }: Answer): Verdict {
  return status === 200 || status === 204 ? "sent" : "failed";
}

function pathOf(key: string): string {
  return `/api/v1/notify/${key}`;
}

/** Programs that watch others, and what they embed. */
export const MONITORS: readonly RecordedClient[] = [
  {
    name: "Apprise",
    ask: askLikeApprise,
    judge: judgeLikeApprise,
    timeoutMs: 4_000,
  },
  {
    name: "Uptime Kuma 1",
    ask: ({ key, body }) => {
      const headers = { ...AXIOS, "user-agent": "axios/0.27.2" };
      return postJson({ key: null, path: pathOf(key), headers }, { title: "Uptime-Kuma", body });
    },
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
  {
    name: "Uptime Kuma 2",
    ask: ({ key, title, body }) => {
      const named = title === "" ? "Uptime-Kuma" : title;
      const fields = { title: named, body, timeSensitive: true, channel: "kuma", sound: "default" };
      return postJson({ key: null, path: pathOf(key), headers: AXIOS }, fields);
    },
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
  {
    // Its HTTP client offers HTTP/2 on every request over plain http.
    name: "the Java port of Uptime Kuma",
    ask: ({ key, title, body }) => {
      const headers = {
        connection: "Upgrade, HTTP2-Settings",
        upgrade: "h2c",
        "http2-settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
        "content-type": "application/json",
        "user-agent": "Java-http-client/21.0.2",
      };
      const named = title === "" ? "Uptime-Kuma" : title;
      return postJson(
        { key: null, path: pathOf(key), headers },
        { title: named, body, timeSensitive: true },
      );
    },
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a script with requests",
    ask: ({ key, title, body }) => {
      const headers = {
        ...REQUESTS,
        "user-agent": "python-requests/2.32.3",
        "content-type": "application/json",
      };
      return postJson({ key, headers }, { title, body, priority: 3 });
    },
    judge: ({ status }) => (status === 200 ? "sent" : "failed"),
    timeoutMs: 10_000,
  },
  {
    name: "a script with requests that posts a query",
    ask: ({ key, title, body }) => ({
      method: "POST",
      // Python's quote writes a space as %20, and leaves a slash.
      path: `${pathOf(key)}?title=${encodeURIComponent(title)}&body=${encodeURIComponent(body)}`,
      headers: { ...REQUESTS, "user-agent": "python-requests/2.31.0", "content-length": 0 },
    }),
    judge: ({ status }) => (status === 200 ? "sent" : "failed"),
    timeoutMs: 10_000,
  },
  {
    name: "a Go program that gets a URL",
    ask: ({ key, title, body }) => ({
      method: "GET",
      path: `${pathOf(key)}?${new URLSearchParams({ title, body }).toString()}`,
      headers: { "user-agent": "Go-http-client/1.1", "accept-encoding": "gzip" },
    }),
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a script with curl",
    ask: ({ key, title, body }) => {
      const headers = {
        "user-agent": "curl/7.88.1",
        accept: "*/*",
        "content-type": "application/json",
      };
      return postJson({ key, headers }, { title, body });
    },
    judge: judgeByStatus,
    timeoutMs: 10_000,
  },
];
