import assert from "node:assert/strict";
import { test } from "node:test";
import { reachOf } from "./reach.ts";

test("a phone reaches an https address, and gets no notification from any other", () => {
  assert.equal(reachOf("https://push.example.org/add#token=a"), "yes");
  assert.equal(reachOf("https://push.example.org:8443/add"), "yes");
  assert.equal(reachOf("http://push.example.org/add"), "insecure");
  assert.equal(reachOf("http://192.168.1.20:8080/add"), "insecure");
  assert.equal(reachOf("https://localhost.example.org/add"), "yes");
});

test("an address that means the device itself leads a phone nowhere", () => {
  const hosts = ["localhost:8080", "tocsin.localhost", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080"];
  for (const host of hosts) {
    assert.equal(reachOf(`http://${host}/add`), "local", host);
    assert.equal(reachOf(`https://${host}/add`), "local", host);
  }
});
