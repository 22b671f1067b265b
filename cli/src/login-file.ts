import { chmod, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { CommandError } from "./command.ts";
import { getConfigFolder } from "./environment.ts";

/** The signed-in account, its server, and the access token. */
export interface Login {
  readonly url: string;
  readonly accountId: string;
  readonly email: string;
  readonly token: string;
  /** Null for a token created in the console, which is revoked only there. */
  readonly tokenId: string | null;
}

/** Returns the path of the file that holds the login. */
export function getLoginPath(): string {
  return join(getConfigFolder(), "login.json");
}

/** Returns the stored login; null if there is none. Throws a `CommandError` for an invalid file. */
export async function readLogin(): Promise<Login | null> {
  const path = getLoginPath();
  const text = await explainFileErrors(path, "read", () => readIfPresent(path));
  if (text === null) return null;
  const login = parseLogin(text);
  if (login !== null) return login;
  const message = `${path} does not hold a login. Remove the file, and sign in with tocsin login.`;
  throw new CommandError(message, { exit: "failed", code: "login_file" });
}

/** Returns whether other users may read the login file. `writeLogin` creates a private file. */
export async function isLoginReadableByOthers(): Promise<boolean> {
  if (process.platform === "win32") return false;
  const { mode } = await stat(getLoginPath());
  return (mode & 0o077) !== 0;
}

/** Creates the login's folder, accessible only to its owner; throws a `CommandError` if that fails. */
export async function prepareLoginFolder(): Promise<void> {
  const folder = getConfigFolder();
  await explainFileErrors(folder, "written", async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  });
}

/** Replaces the login atomically: a concurrent reader sees the old login or the new one. */
export async function writeLogin(login: Login): Promise<void> {
  await prepareLoginFolder();
  const path = getLoginPath();
  const temporaryPath = `${path}.${randomBytes(6).toString("hex")}`;
  await explainFileErrors(path, "written", async () => {
    try {
      const file = await open(temporaryPath, "wx", 0o600);
      try {
        await file.writeFile(`${JSON.stringify(login, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporaryPath, path);
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
  });
}

/** Removes the login; safe to repeat. */
export async function removeLogin(): Promise<void> {
  const path = getLoginPath();
  await explainFileErrors(path, "removed", () => rm(path, { force: true }));
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function parseLogin(text: string): Login | null {
  try {
    // The next lines check each field.
    const { url, accountId, email, token, tokenId } = JSON.parse(text) as Partial<Login>;
    const strings = [url, accountId, email, token, tokenId ?? ""];
    if (!strings.every((value) => typeof value === "string") || !URL.canParse(url ?? ""))
      return null;
    // The lines above have checked each field.
    return { url, accountId, email, token, tokenId: tokenId ?? null } as Login;
  } catch {
    return null;
  }
}

async function explainFileErrors<T>(
  path: string,
  participle: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = getErrorCode(error);
    if (code === null) throw error;
    const message = `${path} cannot be ${participle} (${code}).`;
    throw new CommandError(message, { exit: "failed", code: "login_file", cause: error });
  }
}

/** Returns the system's error code; null for a bug. */
function getErrorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : null;
}
