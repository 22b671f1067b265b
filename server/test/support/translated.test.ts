import assert from "node:assert/strict";
import test from "node:test";
import { translated, translatedSelector } from "./translated.ts";

test("an English text of the pages is found in German: whole, with values in it, and in parts", () => {
  assert.equal(translated("Invite people", "en"), "Invite people");
  assert.equal(translated("Invite people", "de"), "Personen einladen");
  assert.equal(translated("Actions for Ben", "de"), "Aktionen für Ben");
  assert.equal(translated("Disk almost full", "de"), "Disk almost full");
  assert.equal(
    translatedSelector('[role="dialog"] ::-p-aria([name="Invite people"])', "de"),
    '[role="dialog"] ::-p-aria([name="Personen einladen"])',
  );
});
