import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeniedAddress } from "./denied-address.ts";

test("the first and last address of every range that is not public are denied", () => {
  const denied = [
    ["0.0.0.0", "0.255.255.255"],
    ["10.0.0.0", "10.255.255.255"],
    ["100.64.0.0", "100.127.255.255"],
    ["127.0.0.1", "127.255.255.255"],
    ["169.254.0.0", "169.254.169.254"],
    ["172.16.0.0", "172.31.255.255"],
    ["192.0.0.0", "192.0.0.255"],
    ["192.0.2.0", "192.0.2.255"],
    ["192.88.99.0", "192.88.99.255"],
    ["192.168.0.0", "192.168.255.255"],
    ["198.18.0.0", "198.19.255.255"],
    ["198.51.100.0", "198.51.100.255"],
    ["203.0.113.0", "203.0.113.255"],
    ["224.0.0.0", "239.255.255.255"],
    ["240.0.0.0", "255.255.255.255"],
    ["::", "::1", "0:0:0:0:0:0:0:1", "::7f00:1", "::127.0.0.1"],
    ["64:ff9b::", "64:ff9b::7f00:1", "64:ff9b::127.0.0.1", "64:FF9B::808:808"],
    ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
    ["100::", "100::ffff:ffff:ffff:ffff"],
    ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2001:20::1"],
    ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["2002::", "2002:7f00:1::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["5f00::1", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::1%eth0"],
    ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ].flat();
  for (const address of denied) assert.ok(isDeniedAddress(address), address);
});

test("an IPv4 address mapped into IPv6 is denied in every spelling", () => {
  for (const address of [
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::FFFF:7F00:0001",
    "0:0:0:0:0:ffff:7f00:1",
    "0000:0000:0000:0000:0000:ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
  ]) {
    assert.ok(isDeniedAddress(address), address);
  }
});

test("what is no address at all is denied", () => {
  for (const address of ["", "localhost", "127.1", "1.2.3.4.5", "2130706433", "[2606:4700::1]"]) {
    assert.ok(isDeniedAddress(address), address);
  }
});

test("public addresses next to the ranges are not denied", () => {
  for (const address of [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::200e",
  ]) {
    assert.ok(!isDeniedAddress(address), address);
  }
});
