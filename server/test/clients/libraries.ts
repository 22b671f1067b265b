import assert from "node:assert/strict";
import type { Answer } from "../contract/ask.ts";
import {
  judgeByStatus,
  postJson,
  type RecordedClient,
  type Sending,
  type Verdict,
} from "./recorded-client.ts";

const AXIOS = {
  accept: "application/json, text/plain, */*",
  "content-type": "application/json",
};

/** Go's encoder writes these three by their numbers, in strings too. */
function escapeLikeGo(text: string): string {
  return text.replaceAll(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function askLikePushCli(path: string) {
  return ({ key, title, body }: Sending) => {
    const headers = {
      "user-agent": "Go-http-client/1.1",
      "content-type": "application/json",
      "accept-encoding": "gzip",
    };
    const question = postJson({ key, path, headers }, { title, body, sound: "default" });
    return { ...question, body: escapeLikeGo(String(question.body)) };
  };
}

/** It prints status and message of a refusal; without a message, its users read `undefined`. */
function judgeLikePushSdk(answer: Answer): Verdict {
  if (judgeByStatus(answer) === "sent") return "sent";
  const { message } = JSON.parse(answer.text);
  assert.equal(typeof message, "string");
  return "failed";
}

/** It walks over `responses` of every success, piece by piece as the answer arrives. */
function judgeLikeNodeRed({ text }: Answer): Verdict {
  const { success, responses } = JSON.parse(text);
  if (!success) return "failed";
  responses.forEach((response: { readonly message: string }) => response.message.length);
  return "sent";
}

function judgeLikeAllPusher(answer: Answer): Verdict {
  if (judgeByStatus(answer) === "failed") return "failed";
  return JSON.parse(answer.text).success === true ? "sent" : "failed";
}

/** It hands the answer on, and calls one of another shape a bad gateway. */
function judgeLikeOpenConnector(answer: Answer): Verdict {
  const { success, message, responses } = JSON.parse(answer.text);
  if (judgeByStatus(answer) === "failed") {
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

/** Guzzle throws for 4xx and 5xx; what it returns is decoded. */
function judgeLikeGuanguans(answer: Answer): Verdict {
  JSON.parse(answer.text);
  return judgeByStatus(answer);
}

/** Libraries, commands and nodes that other programs are made of. */
export const LIBRARIES: readonly RecordedClient[] = [
  {
    name: "push-sdk for JavaScript",
    ask: ({ key, title, body }) => {
      if (title === "") return null;
      const headers = { ...AXIOS, "user-agent": "axios/0.24.0" };
      return postJson({ key: null, path: `/api/v1/notify/${key}`, headers }, { title, body });
    },
    judge: judgeLikePushSdk,
    timeoutMs: 30_000,
    verdicts: { emptyTitle: "refused" },
  },
  {
    name: "push-cli notify",
    ask: askLikePushCli("/api/v1/notify"),
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
  {
    name: "push-cli notify-async",
    ask: askLikePushCli("/api/v1/notify-async"),
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
  {
    name: "the vendor's GitHub Action",
    ask: ({ key, title, body }) => {
      const headers = {
        accept: "application/json",
        "content-type": "application/json",
        connection: "close",
      };
      const named = title === "" ? "GitHub Notification from ann/bells" : title;
      return postJson({ key, path: "/api/v1/notify-async", headers }, { body, title: named });
    },
    // It prints whatever comes back, and never fails a run.
    judge: () => "sent",
    timeoutMs: 30_000,
    verdicts: { wrongKey: "sent" },
  },
  {
    name: "the Node-RED node",
    ask: ({ key, title, body }) => {
      const headers = { "content-type": "application/json" };
      return postJson({ key, headers }, { title: title === "" ? "Node-RED" : title, body });
    },
    judge: judgeLikeNodeRed,
    timeoutMs: 30_000,
    verdicts: { noDevice: "failed" },
  },
  {
    name: "guanguans/notify for PHP",
    ask: ({ key, title, body }) => {
      const headers = {
        "user-agent": "guanguans/notify GuzzleHttp/7",
        "content-type": "application/json",
      };
      const fields = { title, body, sound: "", channel: null, link: "", timeSensitive: false };
      return postJson({ key, path: `/api/v1/notify/${key}`, headers }, fields);
    },
    judge: judgeLikeGuanguans,
    timeoutMs: 30_000,
  },
  {
    name: "OpenConnector",
    ask: ({ key, title, body }) => {
      if (title === "") return null;
      const headers = {
        accept: "application/json",
        "content-type": "application/json",
        "user-agent": "OpenConnector",
      };
      return postJson({ key, headers }, { title, body, timeSensitive: true });
    },
    judge: judgeLikeOpenConnector,
    timeoutMs: 30_000,
    verdicts: { emptyTitle: "refused" },
  },
  {
    name: "all-pusher",
    ask: ({ key, title, body }) => {
      const headers = { ...AXIOS, "user-agent": "axios/1.7.9" };
      const named = title === "" ? body.slice(0, 10) : title;
      const fields = { title: named, body, group: "any option of its user" };
      return postJson({ key: null, path: `/api/v1/notify/${key}`, headers }, fields);
    },
    judge: judgeLikeAllPusher,
    timeoutMs: 30_000,
    verdicts: { noDevice: "failed" },
  },
  {
    name: "Pipedream",
    ask: ({ key, title, body }) => {
      const headers = { ...AXIOS, "user-agent": "pipedream/1" };
      return postJson({ key, headers }, { title, body, timeSensitive: false });
    },
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
  {
    name: "a script with old axios",
    ask: ({ key, title, body }) => {
      const headers = {
        ...AXIOS,
        "content-type": "application/json;charset=utf-8",
        "user-agent": "axios/0.21.4",
      };
      return postJson({ key: null, path: `/api/v1/notify/${key}`, headers }, { title, body });
    },
    judge: judgeByStatus,
    timeoutMs: 30_000,
  },
];
