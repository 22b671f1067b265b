import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { TestContext } from "node:test";
import { startStealFreeTimer } from "../support/steal-time.ts";

/** A principal's credentials, as headers. */
export type Credential = Readonly<Record<string, string>>;

/** A live stream that is read continuously. */
export interface OpenStream {
  readonly credential: Credential;
  /** Returns everything received so far. */
  text(): string;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Signs in like a browser and returns its cookie. */
export async function signInForCookie(
  url: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Credential> {
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  assert.equal(response.status, 200);
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  return { cookie: cookies.join("; ") };
}

/** Opens the live stream with a credential; resolves once its first bytes have arrived. */
export async function openStream(
  t: TestContext,
  { url, credential }: { readonly url: string; readonly credential: Credential },
): Promise<OpenStream> {
  const controller = new AbortController();
  const { body, status } = await fetch(`${url}/api/app/v1/live`, {
    headers: credential,
    signal: controller.signal,
  });
  assert.equal(status, 200);
  assert.ok(body !== null);
  const started = Promise.withResolvers<void>();
  let text = "";
  let isOpen = true;
  const decoder = new TextDecoder();
  const readingEnd = (async () => {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      started.resolve();
    }
  })()
    // The test closes the stream.
    .catch(() => {})
    .finally(() => (isOpen = false));
  void readingEnd.then(started.resolve);
  const close = async () => {
    controller.abort();
    await readingEnd;
  };
  t.after(close);
  await started.promise;
  return { credential, text: () => text, isOpen: () => isOpen, close };
}

/** Returns whether a credential is valid. The request does not extend a session. */
export async function isSignedIn(url: string, credential: Credential): Promise<boolean> {
  const response = await fetch(`${url}/api/app/v1/sessions`, { headers: credential });
  await response.body?.cancel();
  return response.status === 200;
}

/** Waits until all streams have ended or the limit is reached; returns the elapsed milliseconds. */
export async function waitUntilEnded(
  streams: readonly OpenStream[],
  limitMs: number,
): Promise<number> {
  const readElapsedMs = startStealFreeTimer();
  while (streams.some((stream) => stream.isOpen()) && readElapsedMs() < limitMs) await wait(5);
  return readElapsedMs();
}
