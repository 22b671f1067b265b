import assert from "node:assert/strict";
import test from "node:test";
import { translate, translateSelector } from "./translate.ts";

test("English texts, texts with values, and parts of texts are translated to German", () => {
  assert.equal(translate("Invite people", "en"), "Invite people");
  assert.equal(translate("Invite people", "de"), "Personen einladen");
  assert.equal(translate("Actions for Ben", "de"), "Aktionen für Ben");
  assert.equal(translate("Disk almost full", "de"), "Disk almost full");
  assert.equal(
    translateSelector('[role="dialog"] ::-p-aria([name="Invite people"])', "de"),
    '[role="dialog"] ::-p-aria([name="Personen einladen"])',
  );
});
