import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { createClient } from "@tocsin/sdk";
import { ON_ONE_DATABASE } from "../../../server/test/support/database.ts";
import { setUpLogin } from "../login.fixture.ts";
import { runTocsin } from "../tocsin.fixture.ts";

test(
  "logout revokes the token and removes the file, and can be repeated",
  ON_ONE_DATABASE,
  async (t) => {
    const { environment, login, readStored, listLabels, path } = await setUpLogin(t);
    await login();
    const { token } = readStored();
    const { code, stdout } = await runTocsin(["logout"], { environment });
    assert.equal(code, 0);
    assert.match(stdout, /is revoked/);
    assert.throws(() => statSync(path), { code: "ENOENT" });
    assert.deepEqual(await listLabels(), ["tests"]);
    const client = createClient({ baseUrl: environment.TOCSIN_URL, accessToken: token });
    await assert.rejects(client.me(), { code: "unauthenticated" });
    const again = await runTocsin(["logout", "--json"], { environment });
    assert.equal(again.code, 0);
    assert.deepEqual(JSON.parse(again.stdout), { isForgotten: false, isRevoked: false });
  },
);

test(
  "logout keeps the file if it cannot revoke the token, and --offline removes it",
  ON_ONE_DATABASE,
  async (t) => {
    const { app, environment, login, path } = await setUpLogin(t);
    await login();
    await app.app.stop();
    const failed = await runTocsin(["logout"], { environment });
    assert.equal(failed.code, 4);
    assert.ok(statSync(path).isFile());
    const { code, stdout } = await runTocsin(["logout", "--offline"], { environment });
    assert.equal(code, 0);
    assert.match(stdout, /stays valid/);
    assert.throws(() => statSync(path), { code: "ENOENT" });
  },
);

test("logout does not revoke a token that the console created", ON_ONE_DATABASE, async (t) => {
  const { ann, environment, readStored } = await setUpLogin(t);
  const { token } = await ann.client.accessTokens.create({ label: "console" });
  const input = `${token}\n`;
  assert.equal((await runTocsin(["login", "--token-stdin"], { environment, input })).code, 0);
  assert.deepEqual([readStored().token, readStored().tokenId], [token, null]);
  const logout = await runTocsin(["logout"], { environment });
  assert.match(logout.stdout, /stays valid: revoke it in the console/);
  const client = createClient({ baseUrl: environment.TOCSIN_URL, accessToken: token });
  assert.equal((await client.me()).id, ann.accountId);
});
