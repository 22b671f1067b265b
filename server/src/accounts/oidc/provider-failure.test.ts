import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { OidcProvider } from "../../../test/doubles/oidc.ts";
import { testContext } from "../../../test/support/room.ts";
import { createIdentityProvider } from "./identity-provider.ts";

test("a failure names what the operator must fix, and repeats nothing of the answer", async (t) => {
  const context = await testContext(t);
  const provider = await OidcProvider.start("http://localhost/");
  t.after(() => provider.close());
  const { clientId, clientSecret } = OidcProvider;
  const settings = { issuer: provider.issuer, clientId, clientSecret, name: "Acme" };
  const { elapsed } = context;
  const client = createIdentityProvider(settings, { redirectUri: "http://localhost/", elapsed });
  const answer = { state: "state", code: "code", issuer: null };
  const answers = [
    { error: "invalid_client", error_description: "zebra" },
    { error: "a zebra", zebra: "zebra" },
    { id_token: "zebra", access_token: "zebra" },
  ];
  const told: string[] = [];
  for (const [at, tokenAnswer] of answers.entries()) {
    provider.script = { tokenStatus: at === 2 ? 500 : 401, tokenAnswer };
    await assert.rejects(client.finish(answer, { nonce: "n", codeVerifier: "v" }), (error) => {
      told.push(inspect(error, { depth: 9 }));
      return true;
    });
  }
  assert.match(told[0] ?? "", /401 with invalid_client/);
  assert.ok(!told.join().includes("zebra"), told.join());
});
