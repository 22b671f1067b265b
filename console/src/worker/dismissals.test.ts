import assert from "node:assert/strict";
import { test } from "node:test";
import { reportsExpiry } from "./dismissals.ts";

test("only Firefox reports a notification that disappears by itself as closed", () => {
  assert.equal(
    reportsExpiry("Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"),
    true,
  );
  assert.equal(
    reportsExpiry(
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    ),
    false,
  );
});
