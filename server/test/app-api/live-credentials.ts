import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { TestContext } from "node:test";
import { startOwnTime } from "../support/own-time.ts";

/** A principal's credentials, as headers. */
export type Credential = Readonly<Record<string, string>>;

/** A live stream that is read as it comes. */
export interface OpenStream {
  readonly credential: Credential;
  /** Everything that has come. */
  text(): string;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Signs in as a browser does, and returns its cookie. */
export async function signInAt(
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

/** Opens the live stream by a credential; resolves once its first bytes have come. */
export async function openStream(
  t: TestContext,
  { url, credential }: { readonly url: string; readonly credential: Credential },
): Promise<OpenStream> {
  const given = new AbortController();
  const { body, status } = await fetch(`${url}/api/app/v1/live`, {
    headers: credential,
    signal: given.signal,
  });
  assert.equal(status, 200);
  assert.ok(body !== null);
  const begun = Promise.withResolvers<void>();
  let [text, isOpen] = ["", true];
  const decoder = new TextDecoder();
  const done = (async () => {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      begun.resolve();
    }
  })()
    // Given up by the test.
    .catch(() => {})
    .finally(() => (isOpen = false));
  void done.then(begun.resolve);
  const close = async () => {
    given.abort();
    await done;
  };
  t.after(close);
  await begun.promise;
  return { credential, text: () => text, isOpen: () => isOpen, close };
}

/** Returns whether a credential signs anybody in, as an operation sees it that prolongs no session. */
export async function isSignedIn(url: string, credential: Credential): Promise<boolean> {
  const response = await fetch(`${url}/api/app/v1/sessions`, { headers: credential });
  await response.body?.cancel();
  return response.status === 200;
}

/** Waits until all streams have ended, at most so long; returns how many milliseconds that took. */
export async function untilEnded(streams: readonly OpenStream[], limitMs: number): Promise<number> {
  const ownMs = startOwnTime();
  while (streams.some((stream) => stream.isOpen()) && ownMs() < limitMs) await wait(5);
  return ownMs();
}
