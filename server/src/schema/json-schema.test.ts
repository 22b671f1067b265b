import assert from "node:assert/strict";
import test from "node:test";
import { Type as TypeBox } from "typebox";
import { Type } from "./json-schema.ts";

/** Builds an object schema with one property of every kind. */
function buildSchema(type: typeof Type) {
  const text = { description: "A text", minLength: 1, maxLength: 80 };
  return type.Object(
    {
      text: type.String(text),
      count: type.Integer({ minimum: 0 }),
      part: type.Number(),
      isOn: type.Boolean(),
      nothing: type.Null(),
      one: type.Literal("one"),
      yes: type.Literal(true),
      kind: type.Enum(["a", "b"], { description: "A kind" }),
      either: type.Union([type.String(), type.Null()]),
      all: type.Immutable(type.Array(type.Object({}), { maxItems: 3 })),
      maybe: type.Optional(type.String(text)),
      free: type.Unsafe<string>(type.String()),
    },
    { additionalProperties: false },
  );
}

test("schemas equal the ones that typebox builds", () => {
  assert.equal(JSON.stringify(buildSchema(Type)), JSON.stringify(buildSchema(TypeBox)));
});

test("a schema that is optional in one property stays required in others", () => {
  const text = Type.String();
  const objectSchema = Type.Object({ first: Type.Optional(text), second: text });
  assert.deepEqual(objectSchema.required, ["second"]);
});
