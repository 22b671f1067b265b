import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { test, type TestContext } from "node:test";
import { listen } from "../../server/test/doubles/listen.ts";
import { addDevice, signUp, startApp } from "../../server/test/support/app.ts";
import { ON_ONE_DATABASE } from "../../server/test/support/database.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { runTocsin } from "./tocsin.fixture.ts";

const KEY = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";
const TOKEN = "tat_AAAAAAAAAAAAAAAAAAAAAAAAAAA";

/** Returns a function that runs every command that sends a secret to a server. */
async function setUp(t: TestContext) {
  const environment = {
    XDG_CONFIG_HOME: await createTemporaryFolder(t),
    TOCSIN_API_KEY: KEY,
    TOCSIN_ACCESS_TOKEN: TOKEN,
  };
  const calls: readonly (readonly [args: readonly string[], input: string])[] = [
    [["send", "Hello"], ""],
    [["login", "--email", "ann@example.org", "--password-stdin"], "password\n"],
    [["login", "--token-stdin"], `${TOKEN}\n`],
    [["watch"], ""],
  ];
  return (...options: readonly string[]) =>
    Promise.all(
      calls.map(([args, input]) => runTocsin([...args, ...options], { environment, input })),
    );
}

test(
  "a URL of the API or of a request is reduced to its server's URL",
  ON_ONE_DATABASE,
  async (t) => {
    const app = await startApp(t);
    const ann = await signUp(app, "Ann");
    await addDevice(app, ann);
    const environment = {
      XDG_CONFIG_HOME: await createTemporaryFolder(t),
      TOCSIN_API_KEY: ann.key,
    };
    for (const path of ["/api/v1", "/api/v1/", `/api/v1/notify/${ann.key}`]) {
      const result = await runTocsin(["send", "Hello", "--url", app.url + path], { environment });
      assert.equal(result.code, 0, `${path}: ${result.stderr}`);
    }
    const args = ["login", "--json", "--email", ann.email, "--password-stdin", "--url"];
    const login = await runTocsin([...args, `${app.url}/api/app/v1/`], {
      environment,
      input: "password of Ann\n",
    });
    assert.equal(login.code, 0, login.stderr);
    assert.equal(JSON.parse(login.stdout).url, app.url);
  },
);

test("an unknown path and a URL without a scheme are reported with a remedy", async (t) => {
  const { url } = await startApp(t);
  const run = await setUp(t);
  for (const { code, stderr } of await run("--url", `${url}/devices`)) {
    assert.equal(code, 3);
    assert.match(stderr, /Give --url or TOCSIN_URL without the path of a page/);
  }
  for (const { code, stderr } of await run("--url", "push.example.org/a")) {
    assert.equal(code, 2);
    assert.match(stderr, /Did you mean https:\/\/push\.example\.org\?/);
  }
  const [send] = await run("--url", "localhost:8080");
  assert.match(send?.stderr ?? "", /Did you mean http:\/\/localhost:8080\?/);
});

test("the wrong scheme is reported with the right one", async (t) => {
  const { url } = await startApp(t);
  const { host } = new URL(url);
  const run = await setUp(t);
  for (const { code, stderr } of await run("--url", url.replace("http:", "https:"))) {
    assert.equal(code, 4);
    assert.match(stderr, /does not speak https: on this port/);
    assert.ok(stderr.includes(`give http://${host} as --url or TOCSIN_URL`), stderr);
  }
  const tls = createTcpServer((socket) => socket.once("data", () => socket.destroy()));
  t.after(() => tls.close());
  const tlsHost = `127.0.0.1:${await listen(tls)}`;
  for (const { code, stderr } of await run("--url", `http://${tlsHost}`)) {
    assert.equal(code, 4);
    assert.ok(stderr.includes(`give https://${tlsHost} as --url or TOCSIN_URL`), stderr);
  }
  const nginx = createServer((_request, response) => {
    const page = "<h1>400</h1>The plain HTTP request was sent to HTTPS port";
    response.writeHead(400, { "content-type": "text/html" }).end(page);
  });
  t.after(() => nginx.close());
  for (const { code, stderr } of await run("--url", `http://127.0.0.1:${await listen(nginx)}`)) {
    assert.equal(code, 3);
    assert.match(stderr, /speaks https: there; --url or TOCSIN_URL must begin with https:/);
  }
});

test("a redirect error names the URL to set", async (t) => {
  const proxy = createServer((request, response) => {
    const location = `https://push.example.org${request.url ?? ""}`;
    response.writeHead(301, { location }).end();
  });
  t.after(() => proxy.close());
  const run = await setUp(t);
  for (const { code, stderr } of await run("--url", `http://127.0.0.1:${await listen(proxy)}`)) {
    assert.equal(code, 3);
    assert.match(stderr, /a redirect to https:\/\/push\.example\.org; set --url or TOCSIN_URL/);
  }
});

test("no secret is sent over http: to other machines without --allow-http", async (t) => {
  const run = await setUp(t);
  for (const url of ["http://192.0.2.1:8080", "http://push.example.org/api/v1"]) {
    for (const { code, stderr } of await run("--url", url)) {
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^Over http:, everybody on the network path to \S+ can read the .*--allow-http/,
      );
    }
  }
  const otherServer = createServer((_request, response) => response.writeHead(500).end("{}"));
  t.after(() => otherServer.close());
  const port = await listen(otherServer);
  // This machine under an IP address that does not look local.
  const runs = await run("--allow-http", "--url", `http://0.0.0.0:${port}`);
  assert.deepEqual(
    runs.map(({ code }) => code),
    [3, 3, 3, 3],
  );
});
