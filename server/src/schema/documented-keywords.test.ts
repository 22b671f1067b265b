import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "#schema/json-schema.ts";
import { addDocumentedKeywords, showDocumentedKeywords } from "./documented-keywords.ts";

const Name = addDocumentedKeywords(Type.String({ description: "A name." }), {
  minLength: 1,
  maxLength: 80,
});
const Body = addDocumentedKeywords(
  Type.Object({ name: Type.Optional(Name), tags: Type.Array(Name) }),
  {
    anyOf: [{ required: ["name"] }],
  },
);

test("keywords for the document are hidden from validators", () => {
  assert.deepEqual(Object.keys(Name), ["type", "description"]);
  assert.doesNotMatch(JSON.stringify(Body), /minLength|anyOf/);
});

test("the OpenAPI document contains these keywords at any depth", () => {
  const name = { type: "string", description: "A name.", minLength: 1, maxLength: 80 };
  assert.deepEqual(showDocumentedKeywords(Body), {
    type: "object",
    required: ["tags"],
    properties: { name, tags: { type: "array", items: name } },
    anyOf: [{ required: ["name"] }],
  });
});
