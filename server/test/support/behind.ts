import assert from "node:assert/strict";
import { after } from "node:test";
import { startNginx } from "./nginx.ts";
import { OwnScope, type Scope } from "./scope.ts";

/** Set, every app of a test is asked through nginx with the configuration of the repository. */
export const IS_BEHIND_NGINX = process.env["TOCSIN_TEST_BEHIND"] === "nginx";

/** The setting by which the server believes what nginx says of its callers. */
export const PROXY_SETTING: Readonly<Record<string, string>> = IS_BEHIND_NGINX
  ? { TOCSIN_TRUST_PROXY: "127.0.0.1" }
  : {};

/** Finds an API key, in any letter case and however its hyphens are written. */
export const KEY =
  /[0-9a-f]{8}(?:-|%2d)[0-9a-f]{4}(?:-|%2d)4[0-9a-f]{3}(?:-|%2d)[89ab][0-9a-f]{3}(?:-|%2d)[0-9a-f]{12}/i;

const written = { requests: 0 };

if (IS_BEHIND_NGINX) {
  after(() => {
    assert.ok(written.requests > 0, "nginx wrote no line: nothing came through it.");
  });
}

/** Puts nginx before a server and returns its address; when the scope ends, no key may be in what it wrote. */
export async function putNginxBefore(scope: Scope, server: string): Promise<string> {
  // Its folder, which a test would take away first, is still looked at.
  const own = new OwnScope();
  const nginx = await startNginx(own, { server });
  scope.after(async () => {
    try {
      await nginx.stop();
      checkLog(await nginx.log());
    } finally {
      await own.end();
    }
  });
  return nginx.url;
}

function checkLog(log: string): void {
  const lines = log.split("\n").filter((line) => line !== "");
  written.requests += lines.length;
  const told = lines.filter((line) => KEY.test(line));
  assert.deepEqual(told, [], "nginx wrote an API key into its log.");
}
