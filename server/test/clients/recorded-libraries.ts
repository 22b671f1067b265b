import assert from "node:assert/strict";
import type { TestResponse } from "../contract/http-requests.ts";
import {
  interpretStatus,
  createJsonPost,
  type RecordedClient,
  type OutgoingMessage,
  type ReportedOutcome,
} from "./recorded-client.ts";

const AXIOS_HEADERS = {
  accept: "application/json, text/plain, */*",
  "content-type": "application/json",
};

/** Escapes the three characters that Go's JSON encoder escapes even within strings. */
function escapeLikeGo(text: string): string {
  return text.replaceAll(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function createPushCliRequest(path: string) {
  return ({ key, title, body }: OutgoingMessage) => {
    const headers = {
      "user-agent": "Go-http-client/1.1",
      "content-type": "application/json",
      "accept-encoding": "gzip",
    };
    const request = createJsonPost({ key, path, headers }, { title, body, sound: "default" });
    return { ...request, body: escapeLikeGo(String(request.body)) };
  };
}

/** The client prints status and message of an error; without a message it would print `undefined`. */
function interpretLikePushSdk(response: TestResponse): ReportedOutcome {
  if (interpretStatus(response) === "sent") return "sent";
  const { message } = JSON.parse(response.text);
  assert.equal(typeof message, "string");
  return "failed";
}

/** The client parses each received chunk and iterates over its `responses`. */
function interpretLikeNodeRed({ text }: TestResponse): ReportedOutcome {
  const { success, responses } = JSON.parse(text);
  if (!success) return "failed";
  responses.forEach((response: { readonly message: string }) => response.message.length);
  return "sent";
}

function interpretLikeAllPusher(response: TestResponse): ReportedOutcome {
  if (interpretStatus(response) === "failed") return "failed";
  return JSON.parse(response.text).success === true ? "sent" : "failed";
}

/** The client passes the response on, and reports one of another shape as a bad gateway. */
function interpretLikeOpenConnector(response: TestResponse): ReportedOutcome {
  const { success, message, responses } = JSON.parse(response.text);
  if (interpretStatus(response) === "failed") {
    assert.equal(typeof message, "string");
    return "failed";
  }
  assert.equal(typeof success, "boolean");
  assert.ok(Array.isArray(responses));
  for (const { success, message } of responses) {
    assert.deepEqual([typeof success, typeof message], ["boolean", "string"]);
  }
  return "sent";
}

/** Guzzle throws for 4xx and 5xx; the client decodes every other body. */
function interpretLikeGuanguans(response: TestResponse): ReportedOutcome {
  JSON.parse(response.text);
  return interpretStatus(response);
}

/** Recorded libraries, commands and workflow nodes. */
export const LIBRARIES: readonly RecordedClient[] = [
  {
    name: "push-sdk for JavaScript",
    createRequest: ({ key, title, body }) => {
      if (title === "") return null;
      const headers = { ...AXIOS_HEADERS, "user-agent": "axios/0.24.0" };
      return createJsonPost({ key: null, path: `/api/v1/notify/${key}`, headers }, { title, body });
    },
    readResponse: interpretLikePushSdk,
    timeoutMs: 30_000,
    unusualOutcomes: { emptyTitle: "refused" },
  },
  {
    name: "push-cli notify",
    createRequest: createPushCliRequest("/api/v1/notify"),
    readResponse: interpretStatus,
    timeoutMs: 30_000,
  },
  {
    name: "push-cli notify-async",
    createRequest: createPushCliRequest("/api/v1/notify-async"),
    readResponse: interpretStatus,
    timeoutMs: 30_000,
  },
  {
    name: "the vendor's GitHub Action",
    createRequest: ({ key, title, body }) => {
      const headers = {
        accept: "application/json",
        "content-type": "application/json",
        connection: "close",
      };
      const titleOrDefault = title === "" ? "GitHub Notification from ann/bells" : title;
      return createJsonPost(
        { key, path: "/api/v1/notify-async", headers },
        { body, title: titleOrDefault },
      );
    },
    // The action prints the response and never fails a run.
    readResponse: () => "sent",
    timeoutMs: 30_000,
    unusualOutcomes: { wrongKey: "sent" },
  },
  {
    name: "the Node-RED node",
    createRequest: ({ key, title, body }) => {
      const headers = { "content-type": "application/json" };
      return createJsonPost({ key, headers }, { title: title === "" ? "Node-RED" : title, body });
    },
    readResponse: interpretLikeNodeRed,
    timeoutMs: 30_000,
    unusualOutcomes: { noDevice: "failed" },
  },
  {
    name: "guanguans/notify for PHP",
    createRequest: ({ key, title, body }) => {
      const headers = {
        "user-agent": "guanguans/notify GuzzleHttp/7",
        "content-type": "application/json",
      };
      const fields = { title, body, sound: "", channel: null, link: "", timeSensitive: false };
      return createJsonPost({ key, path: `/api/v1/notify/${key}`, headers }, fields);
    },
    readResponse: interpretLikeGuanguans,
    timeoutMs: 30_000,
  },
  {
    name: "OpenConnector",
    createRequest: ({ key, title, body }) => {
      if (title === "") return null;
      const headers = {
        accept: "application/json",
        "content-type": "application/json",
        "user-agent": "OpenConnector",
      };
      return createJsonPost({ key, headers }, { title, body, timeSensitive: true });
    },
    readResponse: interpretLikeOpenConnector,
    timeoutMs: 30_000,
    unusualOutcomes: { emptyTitle: "refused" },
  },
  {
    name: "all-pusher",
    createRequest: ({ key, title, body }) => {
      const headers = { ...AXIOS_HEADERS, "user-agent": "axios/1.7.9" };
      const titleOrDefault = title === "" ? body.slice(0, 10) : title;
      const fields = { title: titleOrDefault, body, group: "any option of its user" };
      return createJsonPost({ key: null, path: `/api/v1/notify/${key}`, headers }, fields);
    },
    readResponse: interpretLikeAllPusher,
    timeoutMs: 30_000,
    unusualOutcomes: { noDevice: "failed" },
  },
  {
    name: "Pipedream",
    createRequest: ({ key, title, body }) => {
      const headers = { ...AXIOS_HEADERS, "user-agent": "pipedream/1" };
      return createJsonPost({ key, headers }, { title, body, timeSensitive: false });
    },
    readResponse: interpretStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a script with old axios",
    createRequest: ({ key, title, body }) => {
      const headers = {
        ...AXIOS_HEADERS,
        "content-type": "application/json;charset=utf-8",
        "user-agent": "axios/0.21.4",
      };
      return createJsonPost({ key: null, path: `/api/v1/notify/${key}`, headers }, { title, body });
    },
    readResponse: interpretStatus,
    timeoutMs: 30_000,
  },
];
