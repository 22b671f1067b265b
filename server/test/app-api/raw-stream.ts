import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";

/** Everything that a live stream sent so far, byte by byte. */
export interface RawStream {
  readonly text: string;
}

/** Opens the live stream of whom the headers show, and goes on reading it; it ends with the test. */
export async function openStream(
  t: TestContext,
  { url }: Pick<TestApp, "url">,
  headers: Readonly<Record<string, string>>,
): Promise<RawStream> {
  const over = new AbortController();
  t.after(() => over.abort());
  const init = { headers: { ...headers }, signal: over.signal };
  const response = await fetch(`${url}/api/app/v1/live`, init);
  assert.equal(response.status, 200);
  const stream = { text: "" };
  // It breaks off with the test, or with the session.
  read(stream, response).catch(() => {});
  return stream;
}

async function read(stream: { text: string }, { body }: Response): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) stream.text += decoder.decode(bytes, { stream: true });
}

/** Resolves once a stream has told of events of all these kinds. */
export async function hasTold(stream: RawStream, kinds: readonly string[]): Promise<void> {
  await eventually(
    async () => kinds.filter((kind) => !stream.text.includes(`event: ${kind}\n`)),
    ({ length }) => length === 0,
  );
}
