import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { OidcProvider } from "../../../test/doubles/oidc-provider.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createIdentityProvider } from "./identity-provider.ts";

test("a logged failure names the error code, and nothing else of the response", async (t) => {
  const context = await createRoomContext(t);
  const provider = await OidcProvider.start("http://localhost/");
  t.after(() => provider.close());
  const { clientId, clientSecret } = OidcProvider;
  const settings = { issuer: provider.issuer, clientId, clientSecret, name: "Acme" };
  const { elapsed } = context;
  const client = createIdentityProvider(settings, { redirectUri: "http://localhost/", elapsed });
  const callback = { state: "state", code: "code", issuer: null };
  const tokenResponses = [
    { tokenStatus: 401, tokenBody: { error: "invalid_client", error_description: "zebra" } },
    { tokenStatus: 401, tokenBody: { error: "a zebra", zebra: "zebra" } },
    { tokenStatus: 500, tokenBody: { id_token: "zebra", access_token: "zebra" } },
  ];
  const messages: string[] = [];
  for (const script of tokenResponses) {
    provider.script = script;
    await assert.rejects(client.finish(callback, { nonce: "n", codeVerifier: "v" }), (error) => {
      messages.push(inspect(error, { depth: 9 }));
      return true;
    });
  }
  assert.match(messages[0] ?? "", /401 with invalid_client/);
  assert.ok(!messages.join().includes("zebra"), messages.join());
});
