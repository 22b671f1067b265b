import assert from "node:assert/strict";
import test from "node:test";
import { describeForeignAccountIds } from "./foreign-account-ids.ts";

test("another account's id is found in every encoding, and the requesting account's own id never", () => {
  const id = "0197f0a0-2222-7000-8000-bbbbbbbbbbbb";
  const accounts = [
    { id: "0197f0a0-1111-7000-8000-aaaaaaaaaaaa", email: "ann@example.org" },
    { id, email: "ben@example.org" },
  ];
  const hexadecimalId = id.replaceAll("-", "");
  const encodedIds = [
    id,
    id.toUpperCase(),
    hexadecimalId,
    Buffer.from(JSON.stringify({ after: id })).toString("base64url"),
    Buffer.from(`${id}/x`).toString("base64"),
    Buffer.from(hexadecimalId, "hex").toString("base64url"),
  ];
  for (const encodedId of encodedIds) {
    const response = { source: "listFeed", text: `{"nextCursor":"${encodedId}"}` };
    const expected = ["listFeed contains the account id of ben@example.org"];
    assert.deepEqual(
      describeForeignAccountIds([{ ...response, ownEmail: "ann@example.org" }], accounts),
      expected,
      encodedId,
    );
    assert.deepEqual(
      describeForeignAccountIds([{ ...response, ownEmail: "ben@example.org" }], accounts),
      [],
      encodedId,
    );
    assert.deepEqual(
      describeForeignAccountIds([{ ...response, ownEmail: null }], accounts),
      expected,
      encodedId,
    );
  }
});
