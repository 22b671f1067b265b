import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { Type } from "#schema/json-schema.ts";
import { closeSchema } from "./closed-schema.ts";
import { createServer } from "./server.ts";

const BODY = Type.Object({
  name: Type.String(),
  push: Type.Optional(Type.Object({ keys: Type.Array(Type.Object({ auth: Type.String() })) })),
  credential: Type.Optional(Type.Object({ id: Type.String() }, { additionalProperties: true })),
});

/** Sends a request to a server with one route at the path. The handler of the route returns the body. */
async function post(path: string, { body, query = "" }: { body: string; query?: string }) {
  const server = createServer({
    log: pino({ enabled: false }),
    newId: () => "id",
    trustProxy: false,
  });
  const querystring = Type.Object({ limit: Type.Optional(Type.String()) });
  server.post(path, { schema: { body: BODY, querystring } }, async (request) => request.body);
  const headers = { "content-type": "application/json" };
  const response = await server.inject({
    method: "POST",
    url: `${path}${query}`,
    headers,
    payload: body,
  });
  return { status: response.statusCode, body: response.json() };
}

for (const path of ["/api/app/v1/things", "/api/auth/things"]) {
  test(`an unknown field in the body or query of ${path} is refused and named, at any depth`, async () => {
    for (const [body, field] of [
      ['{"name":"a","accountId":"b"}', "accountId"],
      ['{"name":"a","__proto__":{"accountId":"b"}}', "__proto__"],
      ['{"name":"a","constructor":1}', "constructor"],
      ['{"name":"a","push":{"keys":[],"by":1}}', "push.by"],
      ['{"name":"a","push":{"keys":[{"auth":"b","id":1}]}}', "push.keys.0.id"],
      [`{"name":"a","${"x".repeat(1_000)}":1}`, "x".repeat(100)],
    ]) {
      const { status, body: refusal } = await post(path, { body: body ?? "" });
      assert.deepEqual(
        [status, refusal.error.code, refusal.error.field],
        [400, "invalid_field", field],
      );
      assert.equal(
        refusal.message,
        `This request has no field ${field}. Leave it out, or check its spelling.`,
      );
    }
    const { status, body: refusal } = await post(path, { body: '{"name":"a"}', query: "?limt=1" });
    assert.deepEqual([status, refusal.error.field], [400, "limt"]);
  });
}

test("an object that is declared open accepts unknown fields", async () => {
  const body = '{"name":"a","credential":{"id":"b","authenticatorAttachment":"platform"}}';
  assert.equal((await post("/api/app/v1/things", { body, query: "?limit=1" })).status, 200);
});

test("the notification and management APIs ignore unknown fields", async () => {
  for (const path of ["/api/v1/things", "/api/management/v1/things"]) {
    const { status } = await post(path, { body: '{"name":"a","more":1}', query: "?more=1" });
    assert.equal(status, 200, path);
  }
});

test("closing a schema does not change the original", () => {
  const originalSchema = structuredClone(BODY);
  assert.notDeepEqual(closeSchema(BODY), originalSchema);
  assert.deepEqual(BODY, originalSchema);
});
