import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";

/** A live stream whose raw text a test reads. */
export interface RawStream {
  /** Everything received so far. */
  readonly text: string;
}

/** Opens a live stream with the given credentials and reads it until the test ends. */
export async function openRawStream(
  t: TestContext,
  { url }: Pick<TestApp, "url">,
  headers: Readonly<Record<string, string>>,
): Promise<RawStream> {
  const controller = new AbortController();
  t.after(() => controller.abort());
  const init = { headers: { ...headers }, signal: controller.signal };
  const response = await fetch(`${url}/api/app/v1/live`, init);
  assert.equal(response.status, 200);
  const stream = { text: "" };
  // The stream ends with the test or the session.
  readContinuously(stream, response).catch(() => {});
  return stream;
}

async function readContinuously(stream: { text: string }, { body }: Response): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) stream.text += decoder.decode(bytes, { stream: true });
}

/** Resolves once the stream contains events of all these kinds. */
export async function waitForKinds(stream: RawStream, kinds: readonly string[]): Promise<void> {
  await eventually(
    async () => kinds.filter((kind) => !stream.text.includes(`event: ${kind}\n`)),
    ({ length }) => length === 0,
  );
}
