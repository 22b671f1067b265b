import assert from "node:assert/strict";
import test from "node:test";
import { pino } from "pino";
import { Type } from "#schema/json-schema.ts";
import { closedSchema } from "./closed-schema.ts";
import { createServer } from "./server.ts";

const BODY = Type.Object({
  name: Type.String(),
  push: Type.Optional(Type.Object({ keys: Type.Array(Type.Object({ auth: Type.String() })) })),
  credential: Type.Optional(Type.Object({ id: Type.String() }, { additionalProperties: true })),
});

/** Sends a request to a server with one route at the path, whose handler echoes its input. */
async function ask(path: string, { body, query = "" }: { body: string; query?: string }) {
  const server = createServer({
    log: pino({ enabled: false }),
    newId: () => "id",
    trustProxy: false,
  });
  const querystring = Type.Object({ limit: Type.Optional(Type.String()) });
  server.post(path, { schema: { body: BODY, querystring } }, async (request) => request.body);
  const headers = { "content-type": "application/json" };
  const answer = await server.inject({
    method: "POST",
    url: `${path}${query}`,
    headers,
    payload: body,
  });
  return { status: answer.statusCode, body: answer.json() };
}

for (const path of ["/api/app/v1/things", "/api/auth/things"]) {
  test(`a field that ${path} does not know is refused by its name, at any depth`, async () => {
    for (const [body, field] of [
      ['{"name":"a","accountId":"b"}', "accountId"],
      ['{"name":"a","__proto__":{"accountId":"b"}}', "__proto__"],
      ['{"name":"a","constructor":1}', "constructor"],
      ['{"name":"a","push":{"keys":[],"by":1}}', "push.by"],
      ['{"name":"a","push":{"keys":[{"auth":"b","id":1}]}}', "push.keys.0.id"],
      [`{"name":"a","${"x".repeat(1_000)}":1}`, "x".repeat(100)],
    ]) {
      const { status, body: answer } = await ask(path, { body: body ?? "" });
      assert.deepEqual(
        [status, answer.error.code, answer.error.field],
        [400, "invalid_field", field],
      );
      assert.equal(
        answer.message,
        `${field} is no field of this request. Leave it out, or check its spelling.`,
      );
    }
    const { status, body: answer } = await ask(path, { body: '{"name":"a"}', query: "?limt=1" });
    assert.deepEqual([status, answer.error.field], [400, "limt"]);
  });
}

test("an object declared open stays open, such as one that browsers make", async () => {
  const body = '{"name":"a","credential":{"id":"b","authenticatorAttachment":"platform"}}';
  assert.equal((await ask("/api/app/v1/things", { body, query: "?limit=1" })).status, 200);
});

test("the notification and management APIs ignore fields that they do not know", async () => {
  for (const path of ["/api/v1/things", "/api/management/v1/things"]) {
    const { status } = await ask(path, { body: '{"name":"a","more":1}', query: "?more=1" });
    assert.equal(status, 200, path);
  }
});

test("closing a schema does not change the one that routes share", () => {
  const before = structuredClone(BODY);
  assert.notDeepEqual(closedSchema(BODY), before);
  assert.deepEqual(BODY, before);
});
