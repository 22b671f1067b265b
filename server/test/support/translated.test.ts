import assert from "node:assert/strict";
import test from "node:test";
import { translated, translatedSelector } from "./translated.ts";

test("what tests look for in English is found in German: texts, those with values in them, and parts", () => {
  assert.equal(translated("Invite people", "en"), "Invite people");
  assert.equal(translated("Invite people", "de"), "Personen einladen");
  assert.equal(translated("Actions for Ben", "de"), "Aktionen für Ben");
  assert.equal(translated("Disk almost full", "de"), "Disk almost full");
  assert.equal(
    translatedSelector('[role="dialog"] ::-p-aria([name="Invite people"])', "de"),
    '[role="dialog"] ::-p-aria([name="Personen einladen"])',
  );
});
