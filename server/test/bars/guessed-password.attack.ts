import assert from "node:assert/strict";
import test from "node:test";
import { signUp, startApp, type TestApp } from "../support/app.ts";
import { TestClock } from "../support/room.ts";
import { sizeOf, tellFigure } from "./bar.ts";

const NETWORKS = 120;
const TRIES = sizeOf({ short: 600, full: 6_000 });
const HOUR_MS = 3_600_000;
/** 20 at once, and one every ten minutes. */
const COMPARED_MAX = 26;
const WAIT_MAX_S = 600;
const [EMAIL, PASSWORD] = ["olga@example.org", "password of Olga"];

interface Attempt {
  readonly password: string;
  readonly email?: string;
  readonly from: string;
  readonly cookie?: string;
}

async function signIn({ url }: TestApp, attempt: Attempt): Promise<Response> {
  const { password, email = EMAIL, from, cookie } = attempt;
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-forwarded-for": from,
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify({ email, password }),
  });
  await answer.arrayBuffer();
  return answer;
}

/** Cookies that a browser keeps after sign-out: all but the session's. */
function keptBy(answer: Response): string {
  const pairs = answer.headers.getSetCookie().map((line) => line.split(";", 1).join(""));
  return pairs.filter((pair) => !pair.includes("tocsin_session=")).join("; ");
}

test("a guesser of a password from many networks is stopped, and its owner is not", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, {
    now: clock.now,
    environment: { TOCSIN_TRUST_PROXY: "true", TOCSIN_RATE_LIMIT_PER_S: "0" },
  });
  await signUp(app, "Olga");
  const before = await signIn(app, { password: PASSWORD, from: "192.0.2.1" });
  const cookie = keptBy(before);

  let [compared, refused] = [0, 0];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const from = `198.51.100.${tries % NETWORKS}`;
    const { status } = await signIn(app, { password: `guess number ${tries}`, from });
    if (status === 401) compared += 1;
    else if (status === 429) refused += 1;
    else assert.fail(`answered ${status}`);
    clock.advance(HOUR_MS / TRIES);
  }
  const what = `${compared} of ${TRIES} guesses were compared in an hour`;
  assert.ok(compared <= COMPARED_MAX, what);
  assert.equal(compared + refused, TRIES);

  // A guess takes what the last seconds gave back: nobody's turn is now.
  await signIn(app, { password: "the last guess", from: "203.0.113.1" });
  const guessed = await signIn(app, { password: PASSWORD, from: "203.0.113.2" });
  assert.equal(guessed.status, 429, "the right password from one more network");
  const usual = await signIn(app, { password: PASSWORD, from: "198.51.100.1", cookie });
  assert.equal(usual.status, 200, "the owner's browser, in the network of those who guess");

  const waitS = Number(guessed.headers.get("retry-after"));
  assert.ok(waitS > 0 && waitS <= WAIT_MAX_S, `another browser waits ${waitS} s`);
  clock.advance(waitS * 1_000);
  const other = await signIn(app, { password: PASSWORD, from: "192.0.2.2" });
  assert.equal(other.status, 200, "another browser of the owner's");
  tellFigure(t, `${TRIES.toLocaleString("en")} guesses from ${NETWORKS} networks in an hour`);
  tellFigure(t, `${compared} compared; a known browser in at once, another one after ${waitS} s`);
});
