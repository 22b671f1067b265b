import type { Answer } from "../contract/ask.ts";
import {
  readStatus,
  postJson,
  type RecordedClient,
  type OutgoingMessage,
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

/** Escapes every character outside ASCII, as Python's json.dumps does. */
function escapeLikePython(text: string): string {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Covers Apprise 1.2.0 (Debian 12) and 1.9, whose requests are identical. */
function requestLikeApprise({ key, title, body }: OutgoingMessage) {
  const headers = {
    ...REQUESTS,
    "user-agent": "Apprise",
    "content-type": "application/json",
  };
  const request = postJson({ key, headers }, { title, body });
  return { ...request, body: escapeLikePython(String(request.body)) };
}

function readLikeApprise({ status }: Answer): Verdict {
  return status === 200 || status === 204 ? "sent" : "failed";
}

function webhookPath(key: string): string {
  return `/api/v1/notify/${key}`;
}

/** Recorded monitoring programs, and the scripts that people run with them. */
export const MONITORS: readonly RecordedClient[] = [
  {
    name: "Apprise",
    createRequest: requestLikeApprise,
    readResponse: readLikeApprise,
    timeoutMs: 4_000,
  },
  {
    name: "Uptime Kuma 1",
    createRequest: ({ key, body }) => {
      const headers = { ...AXIOS, "user-agent": "axios/0.27.2" };
      return postJson(
        { key: null, path: webhookPath(key), headers },
        { title: "Uptime-Kuma", body },
      );
    },
    readResponse: readStatus,
    timeoutMs: 30_000,
  },
  {
    name: "Uptime Kuma 2",
    createRequest: ({ key, title, body }) => {
      const titleOrDefault = title === "" ? "Uptime-Kuma" : title;
      const fields = {
        title: titleOrDefault,
        body,
        timeSensitive: true,
        channel: "kuma",
        sound: "default",
      };
      return postJson({ key: null, path: webhookPath(key), headers: AXIOS }, fields);
    },
    readResponse: readStatus,
    timeoutMs: 30_000,
  },
  {
    // Its HTTP client offers HTTP/2 on every plain HTTP request.
    name: "the Java port of Uptime Kuma",
    createRequest: ({ key, title, body }) => {
      const headers = {
        connection: "Upgrade, HTTP2-Settings",
        upgrade: "h2c",
        "http2-settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
        "content-type": "application/json",
        "user-agent": "Java-http-client/21.0.2",
      };
      const titleOrDefault = title === "" ? "Uptime-Kuma" : title;
      return postJson(
        { key: null, path: webhookPath(key), headers },
        { title: titleOrDefault, body, timeSensitive: true },
      );
    },
    readResponse: readStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a script with requests",
    createRequest: ({ key, title, body }) => {
      const headers = {
        ...REQUESTS,
        "user-agent": "python-requests/2.32.3",
        "content-type": "application/json",
      };
      return postJson({ key, headers }, { title, body, priority: 3 });
    },
    readResponse: ({ status }) => (status === 200 ? "sent" : "failed"),
    timeoutMs: 10_000,
  },
  {
    name: "a script with requests that posts a query",
    createRequest: ({ key, title, body }) => ({
      method: "POST",
      // Python's quote writes a space as %20, and leaves a slash.
      path: `${webhookPath(key)}?title=${encodeURIComponent(title)}&body=${encodeURIComponent(body)}`,
      headers: { ...REQUESTS, "user-agent": "python-requests/2.31.0", "content-length": 0 },
    }),
    readResponse: ({ status }) => (status === 200 ? "sent" : "failed"),
    timeoutMs: 10_000,
  },
  {
    name: "a Go program that gets a URL",
    createRequest: ({ key, title, body }) => ({
      method: "GET",
      path: `${webhookPath(key)}?${new URLSearchParams({ title, body }).toString()}`,
      headers: { "user-agent": "Go-http-client/1.1", "accept-encoding": "gzip" },
    }),
    readResponse: readStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a script with curl",
    createRequest: ({ key, title, body }) => {
      const headers = {
        "user-agent": "curl/7.88.1",
        accept: "*/*",
        "content-type": "application/json",
      };
      return postJson({ key, headers }, { title, body });
    },
    readResponse: readStatus,
    timeoutMs: 10_000,
  },
];
