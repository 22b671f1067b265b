import assert from "node:assert/strict";
import { test } from "node:test";
import type { Wire } from "../../wire.ts";
import { NtfyStream } from "./stream.ts";

test("a notification that is read while a stream opens does not begin it", () => {
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
  stream.clear("n1");
  stream.start();
  stream.clear("n2");
  assert.deepEqual(written, ["open", "message_clear"]);
});
