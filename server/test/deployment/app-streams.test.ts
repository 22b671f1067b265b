import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { CADDY_SKIP_REASON, startCaddy } from "../support/caddy.ts";
import { ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startHaproxy } from "../support/haproxy.ts";
import { createMailboxMessage } from "../support/memory-apps.ts";
import { NGINX_SKIP_REASON, startNginx } from "../support/nginx.ts";
import { basic, openStream, openWebSocket, startNtfyServer } from "../support/ntfy-subscriber.ts";
import { skipUnlessInstalled } from "../support/program.ts";

/** A proxy in front of a server, and everything that it logged. */
interface Proxy {
  readonly url: string;
  readonly readLog: () => Promise<string>;
}

/** The proxies, each with the repository's configuration. */
const PROXIES: readonly {
  readonly name: string;
  readonly skip: string | boolean;
  readonly start: (t: TestContext, serverUrl: string) => Promise<Proxy>;
}[] = [
  {
    name: "nginx",
    skip: NGINX_SKIP_REASON || ON_SQLITE.skip,
    start: (t, serverUrl) => startNginx(t, { serverUrl }),
  },
  {
    name: "Caddy",
    skip: CADDY_SKIP_REASON || ON_SQLITE.skip,
    async start(t, serverUrl) {
      const caddy = await startCaddy(t, { serverUrl });
      return { url: caddy.url, readLog: async () => caddy.readLog() };
    },
  },
  {
    name: "HAProxy",
    skip: skipUnlessInstalled("haproxy", "haproxy") || ON_SQLITE.skip,
    async start(t, serverUrl) {
      const port = Number(new URL(serverUrl).port);
      return { url: await startHaproxy(t, [port, port]), readLog: async () => "" };
    },
  },
];

const TRANSPORTS = ["json", "sse", "raw"] as const;
const TOPIC = "zebra";

for (const { name, skip, start } of PROXIES) {
  test(
    `${name} passes on each line of a stream at once, and its end on either side`,
    { skip },
    async (t) => {
      const { apps, url: serverUrl } = await startNtfyServer(t);
      const { url } = await start(t, serverUrl);
      for (const transport of TRANSPORTS) {
        const stream = await openStream(t, `${url}/${TOPIC}/${transport}`);
        assert.equal(stream.status, 200);
        const body = `message by ${transport}`;
        await eventually(
          async () => apps.connections.size,
          (size) => size === 1,
        );
        await apps.deliver(createMailboxMessage({ channel: TOPIC, body }));
        assert.match(await stream.readUntil(body), transport === "raw" ? /^\n/ : /"open"/);
        // The server notices an app that leaves.
        stream.response.destroy();
        const countConnections = async () => {
          // HAProxy treats the connection as half-closed until it has something to pass on.
          if (name === "HAProxy") await apps.deliver(createMailboxMessage({ channel: TOPIC }));
          return apps.connections.size;
        };
        await eventually(countConnections, (size) => size === 0);
      }
      // An app notices a stream that is cut.
      const stream = await openStream(t, `${url}/${TOPIC}/json`);
      stream.response.resume();
      await eventually(
        async () => apps.connections.size,
        (size) => size === 1,
      );
      for (const connection of apps.connections) connection.destroy();
      // Caddy ends the response as if it were complete. An app then reconnects, which fails while the server is away.
      assert.equal(await stream.ended, name === "Caddy");
    },
  );

  test(
    `${name} passes WebSockets with their pings and pongs, and their ends`,
    { skip },
    async (t) => {
      const { apps, url: serverUrl } = await startNtfyServer(t);
      const { url } = await start(t, serverUrl);
      const { next, pings, ended } = await openWebSocket(t, `${url}/${TOPIC}/ws`);
      assert.equal(JSON.parse(await next()).event, "open");
      await eventually(
        async () => apps.connections.size,
        (size) => size === 1,
      );
      await apps.deliver(createMailboxMessage({ number: 7, channel: TOPIC, body: "hello" }));
      assert.equal(JSON.parse(await next()).message, "hello");
      await eventually(
        async () => apps.confirmed.at(-1),
        (number) => number === 7,
      );
      assert.deepEqual(pings, ["7"]);
      for (const connection of apps.connections) connection.destroy();
      // 1006: without a closing handshake.
      assert.equal(await ended, 1006);
      await assert.rejects(openWebSocket(t, `${url}/${TOPIC}/ws`, {}), /response: 403/);
    },
  );

  test(
    `${name} serves an app that offers an upgrade to HTTP/2, and logs no topic or password`,
    { skip },
    async (t) => {
      const { url: serverUrl } = await startNtfyServer(t);
      const { url, readLog } = await start(t, serverUrl);
      const upgrade = {
        connection: "Upgrade, HTTP2-Settings",
        upgrade: "h2c",
        "http2-settings": "AA",
      };
      const auth = Buffer.from(basic()["authorization"] ?? "").toString("base64url");
      const stream = await openStream(t, `${url}/${TOPIC}/json?auth=${auth}`, upgrade);
      assert.equal(stream.status, 200);
      await stream.readUntil('"open"');
      stream.response.destroy();
      await fetch(`${url}/${TOPIC}`, { method: "POST", body: "x" });
      await fetch(`${url}/${TOPIC}/auth?auth=${auth}`);
      if (name !== "HAProxy") await eventually(readLog, (log) => log.includes("/auth"));
      const log = await readLog();
      for (const secret of [TOPIC, auth]) assert.ok(!log.includes(secret), secret);
    },
  );
}
