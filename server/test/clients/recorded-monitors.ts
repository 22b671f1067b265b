import type { TestResponse } from "../contract/http-requests.ts";
import {
  interpretStatus,
  createJsonPost,
  type RecordedClient,
  type OutgoingMessage,
  type ReportedOutcome,
} from "./recorded-client.ts";

/** Headers that Python's `requests` library adds. */
const PYTHON_REQUESTS_HEADERS = {
  "accept-encoding": "gzip, deflate",
  accept: "*/*",
  connection: "keep-alive",
};

/** Headers that axios 1 adds in Node. */
const AXIOS_HEADERS = {
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

/** Escapes a part of a query as Python's urllib.parse.quote does: a space becomes %20, and a slash stays. */
function quoteLikePython(text: string): string {
  return encodeURIComponent(text)
    .replaceAll("%2F", "/")
    .replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns the request of Apprise 1.2.0 (Debian 12), which is identical in 1.9. */
function createAppriseRequest({ key, title, body }: OutgoingMessage) {
  const headers = {
    ...PYTHON_REQUESTS_HEADERS,
    "user-agent": "Apprise",
    "content-type": "application/json",
  };
  const request = createJsonPost({ key, headers }, { title, body });
  return { ...request, body: escapeLikePython(String(request.body)) };
}

function interpretLikeApprise({ status }: TestResponse): ReportedOutcome {
  return status === 200 || status === 204 ? "sent" : "failed";
}

function createNotifyPath(key: string): string {
  return `/api/v1/notify/${key}`;
}

/** Returns the title that Uptime Kuma sends. */
function withDefaultTitle(title: string): string {
  return title === "" ? "Uptime-Kuma" : title;
}

/** Recorded monitoring programs, and the scripts that people run with them. */
export const MONITORS: readonly RecordedClient[] = [
  {
    name: "Apprise",
    createRequest: createAppriseRequest,
    readResponse: interpretLikeApprise,
    timeoutMs: 4_000,
  },
  {
    name: "Uptime Kuma 1",
    createRequest: ({ key, body }) => {
      const headers = { ...AXIOS_HEADERS, "user-agent": "axios/0.27.2" };
      return createJsonPost(
        { key: null, path: createNotifyPath(key), headers },
        { title: "Uptime-Kuma", body },
      );
    },
    readResponse: interpretStatus,
    timeoutMs: 30_000,
  },
  {
    name: "Uptime Kuma 2",
    createRequest: ({ key, title, body }) => {
      const fields = {
        title: withDefaultTitle(title),
        body,
        timeSensitive: true,
        channel: "kuma",
        sound: "default",
      };
      return createJsonPost(
        { key: null, path: createNotifyPath(key), headers: AXIOS_HEADERS },
        fields,
      );
    },
    readResponse: interpretStatus,
    timeoutMs: 30_000,
  },
  {
    // Java's HTTP client offers HTTP/2 on every plain HTTP request.
    name: "the Java port of Uptime Kuma",
    createRequest: ({ key, title, body }) => {
      const headers = {
        connection: "Upgrade, HTTP2-Settings",
        upgrade: "h2c",
        "http2-settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
        "content-type": "application/json",
        "user-agent": "Java-http-client/21.0.2",
      };
      return createJsonPost(
        { key: null, path: createNotifyPath(key), headers },
        { title: withDefaultTitle(title), body, timeSensitive: true },
      );
    },
    readResponse: interpretStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a Python script with the requests library",
    createRequest: ({ key, title, body }) => {
      const headers = {
        ...PYTHON_REQUESTS_HEADERS,
        "user-agent": "python-requests/2.32.3",
        "content-type": "application/json",
      };
      return createJsonPost({ key, headers }, { title, body, priority: 3 });
    },
    readResponse: ({ status }) => (status === 200 ? "sent" : "failed"),
    timeoutMs: 10_000,
  },
  {
    name: "a Python script with the requests library that posts its fields in the query",
    createRequest: ({ key, title, body }) => ({
      method: "POST",
      path: `${createNotifyPath(key)}?title=${quoteLikePython(title)}&body=${quoteLikePython(body)}`,
      headers: {
        ...PYTHON_REQUESTS_HEADERS,
        "user-agent": "python-requests/2.31.0",
        "content-length": 0,
      },
    }),
    readResponse: ({ status }) => (status === 200 ? "sent" : "failed"),
    timeoutMs: 10_000,
  },
  {
    name: "a Go program that sends a GET request",
    createRequest: ({ key, title, body }) => ({
      method: "GET",
      path: `${createNotifyPath(key)}?${new URLSearchParams({ title, body }).toString()}`,
      headers: { "user-agent": "Go-http-client/1.1", "accept-encoding": "gzip" },
    }),
    readResponse: interpretStatus,
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
      return createJsonPost({ key, headers }, { title, body });
    },
    readResponse: interpretStatus,
    timeoutMs: 10_000,
  },
];
