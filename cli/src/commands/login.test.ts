import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { createClient } from "@tocsin/sdk";
import { generateTotpCode } from "../../../server/test/support/totp-code.ts";
import { listen } from "../../../server/test/doubles/listen.ts";
import { ON_ONE_DATABASE } from "../../../server/test/support/database.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { PASSWORD, setUpLogin, UNKNOWN_TOKEN } from "../login.fixture.ts";
import {
  waitForExit,
  NO_TERMINAL,
  waitForOutput,
  startOnTerminal,
  runTocsin,
} from "../tocsin.fixture.ts";

test(
  "login stores a working token in a private file, and never prints it",
  ON_ONE_DATABASE,
  async (t) => {
    const { app, ann, home, path, login, readStored } = await setUpLogin(t);
    const { code, stdout, stderr } = await login();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Signed in at http:\S+ as ann@example\.org\.\nThe access token is in /);
    assert.ok(stdout.includes(path));
    const { token, tokenId, ...rest } = readStored();
    assert.deepEqual(rest, { url: app.url, accountId: ann.accountId, email: ann.email });
    assert.doesNotMatch(stdout, /tat_/);
    const modes = [path, join(home, "tocsin")].map((entry) => statSync(entry).mode & 0o777);
    assert.deepEqual(modes, [0o600, 0o700]);
    const client = createClient({ baseUrl: app.url, accessToken: token });
    assert.equal((await client.me()).id, ann.accountId);
    const { items } = await client.accessTokens.list();
    assert.match(items.find(({ id }) => id === tokenId)?.label ?? "", /^tocsin on \S/);
  },
);

test("a login leaves no session open", ON_ONE_DATABASE, async (t) => {
  const { ann, login } = await setUpLogin(t);
  const countBefore = (await ann.client.sessions.list()).items.length;
  assert.equal((await login()).code, 0);
  assert.equal((await ann.client.sessions.list()).items.length, countBefore);
});

test("a second login replaces the first and revokes its token", ON_ONE_DATABASE, async (t) => {
  const { home, login, readStored, listLabels, path } = await setUpLogin(t);
  await login();
  const firstLogin = readStored();
  chmodSync(path, 0o644);
  const { code, stdout } = await login(`${PASSWORD}\r\n`, "--json");
  assert.equal(code, 0);
  const { email, file } = JSON.parse(stdout);
  assert.deepEqual([email, file], [firstLogin.email, path]);
  assert.doesNotMatch(stdout, /tat_/);
  assert.notEqual(readStored().token, firstLogin.token);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual((await listLabels()).toSorted(), ["tests", "tocsin"]);
  assert.deepEqual(readdirSync(join(home, "tocsin")), ["login.json"]);
});

test(
  "a login replaces one whose server does not answer, and a damaged one",
  ON_ONE_DATABASE,
  async (t) => {
    const { login, readStored, path } = await setUpLogin(t);
    await login();
    writeFileSync(path, JSON.stringify({ ...readStored(), url: "http://127.0.0.1:1" }));
    const unrevokedRun = await login();
    assert.equal(unrevokedRun.code, 0);
    assert.match(
      unrevokedRun.stderr,
      /could not be revoked\. Revoke it in the console of http:\S+:1\./,
    );
    writeFileSync(path, "half a fi");
    assert.equal((await login()).code, 0);
  },
);

test(
  "login refuses an unknown token and text that is no token, and prints neither",
  ON_ONE_DATABASE,
  async (t) => {
    const { environment } = await setUpLogin(t);
    const loginWithToken = (token: string) =>
      runTocsin(["login", "--token-stdin"], { environment, input: `${token}\n` });
    const unknownTokenRun = await loginWithToken(UNKNOWN_TOKEN);
    assert.equal(unknownTokenRun.code, 3);
    const invalidTokenRun = await loginWithToken(PASSWORD);
    assert.equal(invalidTokenRun.code, 2);
    const errors = `${unknownTokenRun.stderr}${invalidTokenRun.stderr}`;
    assert.doesNotMatch(errors, new RegExp(`tat_A|${PASSWORD}`));
  },
);

test("the second line of standard input is the two-factor code", ON_ONE_DATABASE, async (t) => {
  const { ann, login, readStored } = await setUpLogin(t);
  const { secret, backupCodes } = await ann.client.twoFactor.begin({ password: PASSWORD });
  await ann.client.twoFactor.confirm({ code: generateTotpCode(secret, Date.now()) });
  const withoutCode = await login();
  assert.equal(withoutCode.code, 2);
  assert.match(withoutCode.stderr, /a two-factor code in the second line/);
  const wrongCode = await login(`${PASSWORD}\n000000\n`);
  assert.equal(wrongCode.code, 3);
  assert.match(wrongCode.stderr, /code is wrong/);
  const { code } = await login(`${PASSWORD}\n${backupCodes[0]}\n`);
  assert.equal(code, 0);
  assert.match(readStored().token, /^tat_/);
});

test(
  "a terminal prompts for missing input, and shows neither password nor code",
  { skip: NO_TERMINAL || ON_ONE_DATABASE.skip },
  async (t) => {
    const { ann, environment, readStored } = await setUpLogin(t);
    const { secret, backupCodes } = await ann.client.twoFactor.begin({ password: PASSWORD });
    await ann.client.twoFactor.confirm({ code: generateTotpCode(secret, Date.now()) });
    const child = startOnTerminal(["login"], { environment, keepsInput: true });
    const exited = waitForExit(child);
    const inputs = [
      ["Email address: ", ann.email],
      ["Password: ", PASSWORD],
      ["Two-factor code: ", "000000"],
      ["Two-factor code: ", backupCodes[0]],
    ] as const;
    for (const [prompt, input] of inputs) {
      await waitForOutput(child.stdout, prompt);
      child.stdin?.write(`${input}\r`);
    }
    const { code, stdout } = await exited;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Signed in/);
    for (const secretText of [PASSWORD, "000000", backupCodes[0] ?? "", readStored().token]) {
      assert.ok(!stdout.includes(secretText));
    }
  },
);

test(
  "login exits with code 3 if the password is wrong, and stores no login",
  ON_ONE_DATABASE,
  async (t) => {
    const { login, path } = await setUpLogin(t);
    const { code, stdout, stderr } = await login("wrong password\n", "--json");
    assert.equal(code, 3);
    assert.match(stderr, /The email address or the password is wrong\..*--token-stdin/);
    assert.equal(JSON.parse(stdout).error.code, "unauthenticated");
    assert.doesNotMatch(`${stdout}${stderr}`, /wrong password\b(?! is)/);
    assert.throws(() => statSync(path), { code: "ENOENT" });
  },
);

test(
  "a URL without a Tocsin server is reported before the password is read",
  ON_ONE_DATABASE,
  async (t) => {
    const { environment, login } = await setUpLogin(t);
    const requestedPaths: (string | undefined)[] = [];
    const otherServer = createServer((request, response) => {
      requestedPaths.push(request.url);
      response.end("<html>");
    });
    const port = await listen(otherServer);
    const url = `http://127.0.0.1:${port}`;
    const close = () => {
      otherServer.close();
      otherServer.closeAllConnections();
    };
    t.after(close);
    const unexpected = await login(undefined, "--url", url);
    assert.equal(unexpected.code, 3);
    assert.match(unexpected.stderr, /Is --url or TOCSIN_URL the address of a Tocsin server\?/);
    assert.deepEqual(requestedPaths, ["/api/auth/sign-in/methods"]);
    close();
    const unreachable = await login(undefined, "--url", url, "--json");
    assert.equal(unreachable.code, 4);
    assert.equal(JSON.parse(unreachable.stdout).error.code, "no_connection");
    const input = `${UNKNOWN_TOKEN}\n`;
    const token = await runTocsin(["login", "--token-stdin", "--url", url], { environment, input });
    assert.equal(token.code, 4);
  },
);

test(
  "login sends a password over http: only to this machine, unless --allow-http is set",
  ON_ONE_DATABASE,
  async (t) => {
    const { app, home, login } = await setUpLogin(t);
    for (const url of [
      "http://push.example.org",
      "http://192.0.2.1:8080",
      "http://localhost.example",
    ]) {
      const { code, stderr } = await login(undefined, "--url", url);
      assert.equal(code, 2, url);
      assert.match(stderr, /everybody on the network path .* can read the password.*--allow-http/);
    }
    // This machine under an IP address that does not look local.
    const url = app.url.replace("127.0.0.1", "0.0.0.0");
    assert.equal((await login(undefined, "--url", url)).code, 2);
    assert.equal((await login(undefined, "--url", url, "--allow-http")).code, 0);
    // The login allows http: for its own URL, so later commands need no flag.
    const environment = { XDG_CONFIG_HOME: home };
    const devices = await runTocsin(["devices", "--json"], { environment });
    assert.deepEqual([devices.code, devices.stderr], [0, ""]);
  },
);

test("login exits with code 2 on wrong usage, without a request", ON_ONE_DATABASE, async (t) => {
  const home = await createTemporaryFolder(t);
  const environment = { XDG_CONFIG_HOME: home, TOCSIN_URL: "http://127.0.0.1:1" };
  const cases: readonly (readonly [args: readonly string[], input: string, reason: RegExp])[] = [
    [["--email", "a@example.org"], "", /no terminal to ask on/],
    [["--password-stdin"], "p\n", /Give --email/],
    [["--token-stdin", "--password-stdin"], "p\n", /not both/],
    [["--token-stdin", "--email", "a@example.org"], "p\n", /leave --email out/],
    [["--token-stdin"], "", /must give the access token/],
    [["--token-stdin", "--url", "localhost:8080"], "t\n", /--url or TOCSIN_URL/],
    [["--token-stdin", "--url", "https://a:secret@b.org"], "t\n", /without user/],
    [["ann@example.org"], "", /Unexpected argument/],
  ];
  for (const [args, input, reason] of cases) {
    const { code, stdout, stderr } = await runTocsin(["login", ...args], { environment, input });
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /secret/);
  }
});

test(
  "login exits with code 1 if it cannot write its file, and leaves no token behind",
  ON_ONE_DATABASE,
  async (t) => {
    const { environment, login, listLabels, home } = await setUpLogin(t);
    mkdirSync(join(home, "tocsin", "login.json", "in the way"), { recursive: true });
    const { code, stderr } = await login();
    assert.equal(code, 1);
    assert.match(stderr, /login\.json cannot be written \(E[A-Z]+\)/);
    assert.deepEqual(await listLabels(), ["tests"]);
    const file = join(home, "file");
    writeFileSync(file, "");
    const brokenEnvironment = { ...environment, XDG_CONFIG_HOME: file };
    const input = `${PASSWORD}\n`;
    const args = ["login", "--email", "ann@example.org", "--password-stdin"];
    const invalid = await runTocsin(args, { environment: brokenEnvironment, input });
    assert.deepEqual([invalid.code, await listLabels()], [1, ["tests"]]);
  },
);
