import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "#schema/json-schema.ts";
import { stated, withStated } from "./stated.ts";

const Name = stated(Type.String({ description: "A name." }), { minLength: 1, maxLength: 80 });
const Body = stated(Type.Object({ name: Type.Optional(Name), tags: Type.Array(Name) }), {
  anyOf: [{ required: ["name"] }],
});

test("stated keywords are hidden from validators", () => {
  assert.deepEqual(Object.keys(Name), ["type", "description"]);
  assert.doesNotMatch(JSON.stringify(Body), /minLength|anyOf/);
});

test("the OpenAPI document contains stated keywords at any depth", () => {
  const name = { type: "string", description: "A name.", minLength: 1, maxLength: 80 };
  assert.deepEqual(withStated(Body), {
    type: "object",
    required: ["tags"],
    properties: { name, tags: { type: "array", items: name } },
    anyOf: [{ required: ["name"] }],
  });
});
