import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { signUp, startApp } from "../../server/test/support/app.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { runTocsin } from "./tocsin.fixture.ts";

/** The password of the account of `setUpLogin`. */
export const PASSWORD = "password of Ann";

/** An access token that no server knows. */
export const UNKNOWN_TOKEN = "tat_AAAAAAAAAAAAAAAAAAAAAAAAAAA";

/**
 * Starts a server with an account, and prepares a command line without a login. `login` runs `tocsin login` with the
 * account's password, `readStored` reads the login file at `path`, and `listLabels` lists the labels of the account's
 * access tokens, without the name of this machine.
 */
export async function setUpLogin(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const home = await createTemporaryFolder(t);
  const environment = { TOCSIN_URL: app.url, XDG_CONFIG_HOME: home };
  const path = join(home, "tocsin", "login.json");
  const login = (input = `${PASSWORD}\n`, ...args: readonly string[]) =>
    runTocsin(["login", "--email", ann.email, "--password-stdin", ...args], { environment, input });
  const readStored = () => JSON.parse(readFileSync(path, "utf8"));
  const listLabels = async () =>
    (await ann.client.accessTokens.list()).items.map(({ label }) => label.replace(/ on .*/, ""));
  return { app, ann, home, environment, path, login, readStored, listLabels };
}
