import assert from "node:assert/strict";
import { test } from "node:test";
import type { Wire } from "../../wire.ts";
import { NtfyStream } from "./stream.ts";

test("`message_clear` is not sent before `open`: a notification marked as read while a stream is opening sends nothing", () => {
  const written: string[] = [];
  const wire: Wire = {
    get hasBegun() {
      return written.length > 0;
    },
    isOpen: true,
    begin() {},
    async write(text) {
      written.push(text);
    },
    ping: () => {},
    onClose() {},
    destroy() {},
  };
  const context = { newId: () => "id", now: () => 0 };
  const deps = { context, baseUrl: "https://push.example.org" };
  const stream = new NtfyStream(deps as unknown as ConstructorParameters<typeof NtfyStream>[0], {
    wire,
    transport: "websocket",
    format: ({ event }) => event,
    subscriptions: [{ topic: "backups", channel: "backups" }],
    matches: () => true,
    isFiltered: false,
  });
  // Before the stream has begun, the event is dropped.
  stream.clear({ notificationId: "n1", extras: null });
  stream.start();
  // The event of the second notification is sent.
  stream.clear({ notificationId: "n2", extras: null });
  assert.deepEqual(written, ["open", "message_clear"]);
});
