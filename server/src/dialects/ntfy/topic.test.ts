import assert from "node:assert/strict";
import { test } from "node:test";
import createRouter from "find-my-way";
import { createTopicPath, parseTopic, toChannel } from "./topic.ts";
import { NtfyError } from "./ntfy-error.ts";

test("the path of a topic matches neither our own names nor other characters", () => {
  const router = createRouter();
  router.on("POST", createTopicPath(["api", "healthz", "sw.js"]), () => {});
  const isTopic = (path: string) => router.find("POST", path) !== null;
  for (const name of ["backups", "my_topic-2", "apis", "API", "a".repeat(64)]) {
    assert.equal(isTopic(`/${name}`), true, name);
  }
  for (const name of ["api", "healthz", "sw.js", "favicon.ico", "a,b", "", "a".repeat(65), "a/b"]) {
    assert.equal(isTopic(`/${name}`), false, name);
  }
});

test("a channel has hyphens where its topic has underscores", () => {
  assert.equal(toChannel(parseTopic("my_back-ups")), "my-back-ups");
  assert.throws(() => parseTopic("a b"), NtfyError);
});
