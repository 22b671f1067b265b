import assert from "node:assert/strict";
import test from "node:test";
import { checkWebSocket } from "#doctor/web-socket.ts";
import { startApp } from "../support/app.ts";
import { ON_SQLITE } from "../support/database.ts";
import { NGINX_SKIP_REASON, startNginx } from "../support/nginx.ts";

const PASSED_UPGRADE = "proxy_set_header Upgrade $tocsin_upgrade;";

test(
  "doctor opens a WebSocket through nginx, and finds an nginx that does not upgrade",
  {
    skip: NGINX_SKIP_REASON || ON_SQLITE.skip,
  },
  async (t) => {
    const app = await startApp(t);
    const check = async (editConfiguration: (text: string) => string) => {
      const { url } = await startNginx(t, { serverUrl: app.url, editConfiguration });
      return checkWebSocket({ config: { baseUrl: url, dialects: ["ntfy"] } });
    };
    assert.equal((await check((text) => text)).status, "ok");
    const { status, message } = await check((text) => {
      assert.ok(text.includes(PASSED_UPGRADE));
      return text.replaceAll(PASSED_UPGRADE, "");
    });
    assert.equal(status, "warn");
    assert.match(message, /was not told of the upgrade/);
  },
);
