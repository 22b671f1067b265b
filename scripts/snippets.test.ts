import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { curlCommand } from "../docs/.vitepress/theme/curl-command.ts";
import { ROOT, sourceFiles } from "./files.ts";
import { differences } from "./snippets/answers.ts";
import { parseFences, type Fence } from "./snippets/fences.ts";
import { runFences } from "./snippets/run.ts";
import { createFixture, startServer } from "./snippets/stage.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("every runnable block of the documents runs, and the answers match the documents", async (t) => {
  const app = await startServer(t);
  const documents = sourceFiles()
    .filter((file) => file.endsWith(".md"))
    .map((file) => parseFences(file, read(file)).filter(isUsed))
    .filter((fences) => fences.some(isRun));
  const problems: string[] = [];
  for (const [index, fences] of documents.entries()) {
    problems.push(...(await runFences(fences, await createFixture(app, `Ann${index}`))));
  }
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
  t.diagnostic(`${documents.flat().filter(isRun).length} blocks of ${documents.length} documents`);
});

test("the commands of the form send any text to the server unchanged", async (t) => {
  const fixture = await createFixture(await startServer(t), "Ann");
  const key = fixture.values["<API_KEY>"] ?? "";
  const hostile = `it's "5 > 4" & $HOME \`id\` \\ !! ü\n%0a`;
  const fields = {
    server: `${fixture.url}/`,
    key,
    title: hostile,
    body: hostile,
    channel: "",
    sound: "",
  };
  const blocks = [
    curlCommand({ ...fields, isAsync: false }),
    curlCommand({ ...fields, channel: "a-1", sound: "pop", isAsync: true }),
  ].map((text, index) => block("sh", index, text));
  assert.deepEqual(await runFences(blocks, fixture), []);
  const answer = await fetch(`${fixture.url}/api/app/v1/feed`, {
    headers: { authorization: `Bearer ${fixture.values["<ACCESS_TOKEN>"]}` },
  });
  const { items } = (await answer.json()) as {
    readonly items: readonly { readonly body: string }[];
  };
  assert.deepEqual(
    items.map(({ body }) => body),
    [hostile, hostile, "of all"],
  );
});

test("an answer that differs in a word, a field or an element is reported", async (t) => {
  const shown = { success: true, at: "2026-11-22T10:00:00.000Z", id: "<id>", list: [{ a: 1 }] };
  const real = { ...shown, at: "2027-01-01T00:00:00.000Z", id: "x" };
  assert.deepEqual(differences(shown, real), []);
  assert.deepEqual(differences(shown, { ...real, success: false }), ["success is false, not true"]);
  assert.deepEqual(differences(shown, { ...real, more: 1 }), ["more is in the real answer"]);
  assert.deepEqual(differences(shown, { ...real, list: [] }), ["list has 0 elements, not 1"]);
  const { id: _, ...incomplete } = real;
  assert.deepEqual(differences(shown, incomplete), ["id is not in the real answer"]);
  assert.deepEqual(differences(shown, { ...real, list: [{ a: 2 }] }), ["list[0].a is 2, not 1"]);

  const fixture = await createFixture(await startServer(t), "Bo");
  const blocks = [block("sh", 0, `curl ${fixture.url}/healthz`), block("json", 9, "{}", true)];
  assert.match((await runFences(blocks, fixture)).join("\n"), /a\.md:9: really \(line 0\), /);
});

function isUsed({ attributes }: Fence): boolean {
  return attributes.run === true || attributes.answer || attributes.request !== null;
}

function isRun({ attributes }: Fence): boolean {
  return attributes.run === true || attributes.request !== null;
}

function block(language: string, line: number, text: string, answer = false): Fence {
  const attributes = {
    run: answer ? null : (true as const),
    answer,
    request: null,
    uncheckedReason: null,
    unknown: [],
  };
  return { file: "a.md", line, language, attributes, text };
}
