import assert from "node:assert/strict";
import test from "node:test";
import { describeUserAgent } from "./user-agent.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

test("a user agent is described by its browser and operating system; an unknown or missing one is null", () => {
  const macPrefix = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15";
  const chromeEngine = "(KHTML, like Gecko) Chrome/142.0.0.0";
  const cases = [
    [FIREFOX, "Firefox on Linux"],
    [`${macPrefix} (KHTML, like Gecko) Version/26.0 Safari/605.1.15`, "Safari on macOS"],
    [`${macPrefix} ${chromeEngine} Safari/537.36`, "Chrome on macOS"],
    [`Mozilla/5.0 (Windows NT 10.0) ${chromeEngine} Safari/537.36 Edg/142.0`, "Edge on Windows"],
    [`Mozilla/5.0 (Linux; Android 16) ${chromeEngine} Mobile Safari/537.36`, "Chrome on Android"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Safari/604.1",
      "Safari on iPhone",
    ],
    ["curl/8.17", null],
    ["", null],
  ] as const;
  for (const [userAgent, description] of cases)
    assert.equal(describeUserAgent(userAgent), description, userAgent);
  assert.equal(describeUserAgent(null), null);
});
