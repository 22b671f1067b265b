import assert from "node:assert/strict";
import { test } from "node:test";
import { getReachability } from "./reachability.ts";

test("a phone can receive notifications only if the URL is https", () => {
  assert.equal(getReachability("https://push.example.org/add#token=a"), "reachable");
  assert.equal(getReachability("https://push.example.org:8443/add"), "reachable");
  assert.equal(getReachability("http://push.example.org/add"), "insecure");
  assert.equal(getReachability("http://192.168.1.20:8080/add"), "insecure");
  assert.equal(getReachability("https://localhost.example.org/add"), "reachable");
});

test("a loopback URL is local", () => {
  const hosts = ["localhost:8080", "tocsin.localhost", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080"];
  for (const host of hosts) {
    assert.equal(getReachability(`http://${host}/add`), "local", host);
    assert.equal(getReachability(`https://${host}/add`), "local", host);
  }
});
