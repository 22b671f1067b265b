import assert from "node:assert/strict";
import { test } from "node:test";
import { toMinId } from "#ids.ts";
import { createNtfyAnswer } from "./answer.ts";
import { parseNtfyMessage } from "./message.ts";
import { createParameterReader } from "./parameters.ts";

const NOTIFICATION_ID = toMinId(1_790_000_000_999);

function answer(headers: Readonly<Record<string, string>>) {
  const read = createParameterReader({ headers, query: {} });
  const body = Buffer.from("42 GB");
  const message = parseNtfyMessage({ topic: "my_topic", read, body, isComplete: true });
  return createNtfyAnswer({ message, notificationId: NOTIFICATION_ID, ttlSeconds: 3_600 });
}

test("the answer to a plain message has only the members that are set", () => {
  assert.deepEqual(answer({}), {
    id: NOTIFICATION_ID,
    time: 1_790_000_000,
    expires: 1_790_003_600,
    event: "message",
    topic: "my_topic",
    message: "42 GB",
  });
});

test("the answer repeats the message as it was sent", () => {
  const {
    id: _id,
    time: _time,
    expires: _expires,
    ...rest
  } = answer({
    title: "Disk",
    priority: "high",
    tags: "warning,db",
    click: "https://a.example/",
    icon: "https://a.example/icon.png",
    attach: "https://a.example/log.txt",
    actions: "broadcast, Take",
    md: "1",
  });
  assert.deepEqual(rest, {
    event: "message",
    topic: "my_topic",
    title: "Disk",
    message: "42 GB",
    priority: 4,
    tags: ["warning", "db"],
    click: "https://a.example/",
    icon: "https://a.example/icon.png",
    actions: [{ id: "1", action: "broadcast", label: "Take", clear: false }],
    attachment: { name: "log.txt", url: "https://a.example/log.txt" },
    content_type: "text/markdown",
  });
});
