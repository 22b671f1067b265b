import assert from "node:assert/strict";
import type { Answer } from "../contract/ask.ts";
import {
  readStatus,
  postJson,
  type RecordedClient,
  type OutgoingMessage,
  type Verdict,
} from "./recorded-client.ts";

const AXIOS = {
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

function requestLikePushCli(path: string) {
  return ({ key, title, body }: OutgoingMessage) => {
    const headers = {
      "user-agent": "Go-http-client/1.1",
      "content-type": "application/json",
      "accept-encoding": "gzip",
    };
    const request = postJson({ key, path, headers }, { title, body, sound: "default" });
    return { ...request, body: escapeLikeGo(String(request.body)) };
  };
}

/** The client prints status and message of an error; without a message it would print `undefined`. */
function readLikePushSdk(response: Answer): Verdict {
  if (readStatus(response) === "sent") return "sent";
  const { message } = JSON.parse(response.text);
  assert.equal(typeof message, "string");
  return "failed";
}

/** The client parses each received chunk and iterates over its `responses`. */
function readLikeNodeRed({ text }: Answer): Verdict {
  const { success, responses } = JSON.parse(text);
  if (!success) return "failed";
  responses.forEach((response: { readonly message: string }) => response.message.length);
  return "sent";
}

function readLikeAllPusher(response: Answer): Verdict {
  if (readStatus(response) === "failed") return "failed";
  return JSON.parse(response.text).success === true ? "sent" : "failed";
}

/** The client passes the response on, and reports one of another shape as a bad gateway. */
function readLikeOpenConnector(response: Answer): Verdict {
  const { success, message, responses } = JSON.parse(response.text);
  if (readStatus(response) === "failed") {
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
function readLikeGuanguans(response: Answer): Verdict {
  JSON.parse(response.text);
  return readStatus(response);
}

/** Recorded libraries, commands and workflow nodes. */
export const LIBRARIES: readonly RecordedClient[] = [
  {
    name: "push-sdk for JavaScript",
    createRequest: ({ key, title, body }) => {
      if (title === "") return null;
      const headers = { ...AXIOS, "user-agent": "axios/0.24.0" };
      return postJson({ key: null, path: `/api/v1/notify/${key}`, headers }, { title, body });
    },
    readResponse: readLikePushSdk,
    timeoutMs: 30_000,
    verdicts: { emptyTitle: "refused" },
  },
  {
    name: "push-cli notify",
    createRequest: requestLikePushCli("/api/v1/notify"),
    readResponse: readStatus,
    timeoutMs: 30_000,
  },
  {
    name: "push-cli notify-async",
    createRequest: requestLikePushCli("/api/v1/notify-async"),
    readResponse: readStatus,
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
      return postJson(
        { key, path: "/api/v1/notify-async", headers },
        { body, title: titleOrDefault },
      );
    },
    // The action prints the response and never fails a run.
    readResponse: () => "sent",
    timeoutMs: 30_000,
    verdicts: { wrongKey: "sent" },
  },
  {
    name: "the Node-RED node",
    createRequest: ({ key, title, body }) => {
      const headers = { "content-type": "application/json" };
      return postJson({ key, headers }, { title: title === "" ? "Node-RED" : title, body });
    },
    readResponse: readLikeNodeRed,
    timeoutMs: 30_000,
    verdicts: { noDevice: "failed" },
  },
  {
    name: "guanguans/notify for PHP",
    createRequest: ({ key, title, body }) => {
      const headers = {
        "user-agent": "guanguans/notify GuzzleHttp/7",
        "content-type": "application/json",
      };
      const fields = { title, body, sound: "", channel: null, link: "", timeSensitive: false };
      return postJson({ key, path: `/api/v1/notify/${key}`, headers }, fields);
    },
    readResponse: readLikeGuanguans,
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
      return postJson({ key, headers }, { title, body, timeSensitive: true });
    },
    readResponse: readLikeOpenConnector,
    timeoutMs: 30_000,
    verdicts: { emptyTitle: "refused" },
  },
  {
    name: "all-pusher",
    createRequest: ({ key, title, body }) => {
      const headers = { ...AXIOS, "user-agent": "axios/1.7.9" };
      const titleOrDefault = title === "" ? body.slice(0, 10) : title;
      const fields = { title: titleOrDefault, body, group: "any option of its user" };
      return postJson({ key: null, path: `/api/v1/notify/${key}`, headers }, fields);
    },
    readResponse: readLikeAllPusher,
    timeoutMs: 30_000,
    verdicts: { noDevice: "failed" },
  },
  {
    name: "Pipedream",
    createRequest: ({ key, title, body }) => {
      const headers = { ...AXIOS, "user-agent": "pipedream/1" };
      return postJson({ key, headers }, { title, body, timeSensitive: false });
    },
    readResponse: readStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a script with old axios",
    createRequest: ({ key, title, body }) => {
      const headers = {
        ...AXIOS,
        "content-type": "application/json;charset=utf-8",
        "user-agent": "axios/0.21.4",
      };
      return postJson({ key: null, path: `/api/v1/notify/${key}`, headers }, { title, body });
    },
    readResponse: readStatus,
    timeoutMs: 30_000,
  },
];
