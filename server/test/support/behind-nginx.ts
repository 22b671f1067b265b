import assert from "node:assert/strict";
import { after } from "node:test";
import { startNginx } from "./nginx.ts";
import { ManualScope, type Scope } from "./scope.ts";

/** Whether tests reach every app through nginx with the repository's configuration. */
export const IS_BEHIND_NGINX = process.env["TOCSIN_TEST_BEHIND"] === "nginx";

/** The setting with which the server trusts the forwarded headers of nginx. */
export const PROXY_SETTING: Readonly<Record<string, string>> = IS_BEHIND_NGINX
  ? { TOCSIN_TRUST_PROXY: "127.0.0.1" }
  : {};

/** Matches an API key in any letter case, with plain or percent-encoded hyphens. */
export const KEY_PATTERN =
  /[0-9a-f]{8}(?:-|%2d)[0-9a-f]{4}(?:-|%2d)4[0-9a-f]{3}(?:-|%2d)[89ab][0-9a-f]{3}(?:-|%2d)[0-9a-f]{12}/i;

let loggedRequestCount = 0;

if (IS_BEHIND_NGINX) {
  after(() => {
    assert.ok(loggedRequestCount > 0, "nginx logged no request, so no request went through it.");
  });
}

/**
 * Starts nginx in front of a server and returns its URL. When the scope ends, checks that the log of nginx contains no
 * key.
 */
export async function startNginxInFrontOf(scope: Scope, serverUrl: string): Promise<string> {
  // A separate scope keeps nginx's folder until its log has been checked.
  const folderScope = new ManualScope();
  const nginx = await startNginx(folderScope, { serverUrl });
  scope.after(async () => {
    try {
      await nginx.stop();
      checkLog(await nginx.readLog());
    } finally {
      await folderScope.end();
    }
  });
  return nginx.url;
}

/** Counts the requests in a log. Throws if one of its lines contains a key. */
function checkLog(log: string): void {
  const lines = log.split("\n").filter((line) => line !== "");
  loggedRequestCount += lines.length;
  const linesWithKey = lines.filter((line) => KEY_PATTERN.test(line));
  assert.deepEqual(linesWithKey, [], "nginx wrote an API key into its log.");
}
