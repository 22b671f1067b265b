import assert from "node:assert/strict";
import { test } from "node:test";
import { toPlainText } from "./html.ts";

test("tags are left out, and entities become characters", () => {
  for (const [html, text] of [
    ["<b>Disk</b> 97 %", "Disk 97 %"],
    ['<a href="https://a.example/?x=1&amp;y">log</a> &lt;3', "log <3"],
    ['<font color="#f00">Down</font><br>42<br/>\n43', "Down\n42\n43"],
    ["&#228;pfel &#xe4;pfel &quot;a&apos; &nbsp;b", "äpfel äpfel \"a' \u00a0b"],
    ["load > 3 and < 5, a<3", "load > 3 and < 5, a<3"],
    ["&amp;lt;b&amp;gt;", "&lt;b&gt;"],
    ["&unknown; &#0; &#xffffff; &#xd800;", "&unknown; &#0; &#xffffff; \ufffd"],
    ["plain", "plain"],
  ] as const) {
    assert.equal(toPlainText(html), text);
  }
});

test("hostile HTML takes no time", () => {
  for (const html of ["<".repeat(200_000), "<a".repeat(100_000), "&#1".repeat(80_000)]) {
    const startedAt = performance.now();
    toPlainText(html);
    assert.ok(performance.now() - startedAt < 1_000);
  }
});
