import assert from "node:assert/strict";
import { test } from "node:test";
import { toReachability } from "./reachability.ts";

test("a phone gets notifications only from an https URL", () => {
  assert.equal(toReachability("https://push.example.org/add#token=a"), "yes");
  assert.equal(toReachability("https://push.example.org:8443/add"), "yes");
  assert.equal(toReachability("http://push.example.org/add"), "insecure");
  assert.equal(toReachability("http://192.168.1.20:8080/add"), "insecure");
  assert.equal(toReachability("https://localhost.example.org/add"), "yes");
});

test("a loopback URL is local", () => {
  const hosts = ["localhost:8080", "tocsin.localhost", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080"];
  for (const host of hosts) {
    assert.equal(toReachability(`http://${host}/add`), "local", host);
    assert.equal(toReachability(`https://${host}/add`), "local", host);
  }
});
