import assert from "node:assert/strict";
import { test } from "node:test";
import { TocsinError } from "@tocsin/sdk";
import i18next from "i18next";
import { getErrorMessage } from "./errors.ts";
import { texts as pages } from "./language/de-pages.ts";
import { texts as feed } from "./language/de.ts";

const createError = (code: string, message: string) =>
  new TocsinError({
    status: 409,
    code,
    message,
    field: null,
    requestId: null,
    retryAfterMs: null,
    body: null,
  });

test("an error shows the text for its code, and the server's message where that says more", async () => {
  await i18next.init({
    lng: "de",
    resources: { de: { translation: { ...feed, ...pages } } },
    interpolation: { escapeValue: false },
  });
  const format = (code: string, message = "Said.") => getErrorMessage(createError(code, message));
  assert.match(format("not_ringing"), /^Der Vorfall klingelt nicht mehr/);
  assert.match(format("forbidden"), /^Dafür fehlt/);
  assert.match(
    format("conflict", "Name <b> is $t(shell.send)."),
    /: Name <b> is \$t\(shell\.send\)\.$/,
  );
  assert.equal(format("a_newer_code"), "Said.");
});
