import assert from "node:assert/strict";
import test from "node:test";
import { signUp, startApp, type TestApp } from "../support/app.ts";
import { TestClock } from "../support/test-clock.ts";
import { chooseSize, reportFigure } from "./bar.ts";

const NETWORK_COUNT = 120;
const GUESS_COUNT = chooseSize({ short: 600, full: 6_000 });
const HOUR_MS = 3_600_000;
/** The limit per hour: a burst of 20 attempts, and one more every ten minutes. */
const COMPARED_MAX = 26;
const WAIT_MAX_SECONDS = 600;
const EMAIL = "olga@example.org";
const PASSWORD = "password of Olga";

interface Attempt {
  readonly password: string;
  readonly email?: string;
  readonly fromAddress: string;
  readonly cookie?: string;
}

async function signIn({ url }: TestApp, attempt: Attempt): Promise<Response> {
  const { password, email = EMAIL, fromAddress, cookie } = attempt;
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-forwarded-for": fromAddress,
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify({ email, password }),
  });
  await response.arrayBuffer();
  return response;
}

/** Returns the cookies that a browser keeps after a sign-out: all except the session's. */
function readLastingCookies(response: Response): string {
  const pairs = response.headers.getSetCookie().map((line) => line.split(";", 1).join(""));
  return pairs.filter((pair) => !pair.includes("tocsin_session=")).join("; ");
}

test("password guessing from many networks is limited, and the owner can still sign in", async (t) => {
  const clock = new TestClock();
  const app = await startApp(t, {
    now: clock.now,
    environment: { TOCSIN_TRUST_PROXY: "true", TOCSIN_RATE_LIMIT_PER_S: "0" },
  });
  await signUp(app, "Olga");
  const firstSignIn = await signIn(app, { password: PASSWORD, fromAddress: "192.0.2.1" });
  const cookie = readLastingCookies(firstSignIn);

  let comparedCount = 0;
  let limitedCount = 0;
  for (let guessNumber = 0; guessNumber < GUESS_COUNT; guessNumber += 1) {
    const fromAddress = `198.51.100.${guessNumber % NETWORK_COUNT}`;
    const { status } = await signIn(app, { password: `guess number ${guessNumber}`, fromAddress });
    if (status === 401) comparedCount += 1;
    else if (status === 429) limitedCount += 1;
    else assert.fail(`unexpected status ${status}`);
    clock.advance(HOUR_MS / GUESS_COUNT);
  }
  const summary = `${comparedCount} of ${GUESS_COUNT} guesses were compared in an hour`;
  assert.ok(comparedCount <= COMPARED_MAX, summary);
  assert.equal(comparedCount + limitedCount, GUESS_COUNT);

  // One more guess uses the attempt that may have become available in the last seconds.
  await signIn(app, { password: "the last guess", fromAddress: "203.0.113.1" });
  const limitedSignIn = await signIn(app, { password: PASSWORD, fromAddress: "203.0.113.2" });
  assert.equal(limitedSignIn.status, 429, "the right password from one more network");
  const knownBrowser = await signIn(app, {
    password: PASSWORD,
    fromAddress: "198.51.100.1",
    cookie,
  });
  assert.equal(knownBrowser.status, 200, "the owner's usual browser, in an attacker's network");

  const waitSeconds = Number(limitedSignIn.headers.get("retry-after"));
  assert.ok(
    waitSeconds > 0 && waitSeconds <= WAIT_MAX_SECONDS,
    `another browser waits ${waitSeconds} s`,
  );
  clock.advance(waitSeconds * 1_000);
  const newBrowser = await signIn(app, { password: PASSWORD, fromAddress: "192.0.2.2" });
  assert.equal(newBrowser.status, 200, "another browser of the owner");
  reportFigure(
    t,
    `${GUESS_COUNT.toLocaleString("en")} guesses from ${NETWORK_COUNT} networks in an hour`,
  );
  reportFigure(
    t,
    `${comparedCount} compared; a known browser signs in immediately, another one after ${waitSeconds} s`,
  );
});
