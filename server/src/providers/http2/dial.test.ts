import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { generateCertificate } from "../../../test/doubles/certificate.ts";
import { listen } from "../../../test/doubles/listen.ts";
import { dial } from "./dial.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

test("an origin may have an IPv6 address", { skip: !hasIpv6 && "no ::1 here" }, async (t) => {
  const server = createServer((socket) => socket.end());
  server.listen(0, "::1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address !== "string");
  const socket = dial(new URL(`http://[::1]:${address.port}`), undefined);
  await once(socket, "connect");
  assert.equal(socket.remoteAddress, "::1");
  socket.destroy();
});

test("no environment variable disables the certificate check", async (t) => {
  const { key, cert } = generateCertificate(["wrong.example"]);
  const server = createTlsServer({ key, cert, ALPNProtocols: ["h2"] });
  // Clients that do not trust the certificate hang up.
  server.on("tlsClientError", () => {});
  const port = await listen(server);
  t.after(() => server.close());
  const module = new URL("./dial.ts", import.meta.url).href;
  const script = `
    import { dial } from ${JSON.stringify(module)};
    const socket = dial(new URL("https://127.0.0.1:${port}"), undefined);
    socket.on("secureConnect", () => { console.log("trusted"); socket.destroy(); });
    socket.on("error", ({ code }) => console.log(code));`;
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { env });
  const output = await text(child.stdout);
  assert.equal(output.trim(), "DEPTH_ZERO_SELF_SIGNED_CERT");
});
