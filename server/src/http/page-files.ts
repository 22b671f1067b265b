import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { share } from "./unsent.ts";

/** The codings that files are stored in next to the original, smallest first, with their suffixes. */
const CODINGS = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

/** The name of a content coding (RFC 9110 section 8.4.1). */
export type Coding = (typeof CODINGS)[number]["name"];

/** One coding of a file's content, or the plain content. */
export interface Variant {
  /** Null for the plain content. */
  readonly coding: Coding | null;
  readonly content: Buffer;
  /** Including its quotes. */
  readonly etag: string;
}

/** A static file, the same for every client. */
export interface PageFile {
  /** From the root of the server: `/assets/main-x1.js`. */
  readonly path: string;
  readonly type: string;
  /** The smallest first, the plain content last. */
  readonly variants: readonly Variant[];
}

/** The built console: its files, and the paths that serve its page. */
export interface BuiltConsole {
  readonly html: PageFile;
  readonly files: readonly PageFile[];
  /** A segment that starts with `$` matches any segment. */
  readonly paths: readonly string[];
}

/** The output is nearly as small as at the highest quality, in a hundredth of the time. */
const BROTLI_QUALITY = 6;

/** Returns a file with this content, in all codings that are smaller. Throws for an unknown file type. */
export async function makeFile(path: string, content: Buffer): Promise<PageFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content),
  ]);
  const variants = [
    createVariant("br", brotli),
    createVariant("gzip", gzipped),
    createVariant(null, content),
  ].filter(({ coding, content: { length } }) => coding === null || length < content.length);
  return { path, type: typeOf(path), variants };
}

/** Consoles that this process has read, by folder. */
const consoles = new Map<string, BuiltConsole>();

/**
 * Returns the console that was built into a folder, as it was when this process first read it. Throws if there is
 * none, or if a file has a type that the server does not serve.
 */
export function consoleIn(distDir: string): BuiltConsole {
  const built = consoles.get(distDir) ?? readConsole(distDir);
  consoles.set(distDir, built);
  return built;
}

function readConsole(distDir: string): BuiltConsole {
  const names = listFiles(distDir);
  const files = names.filter(isServed).map((name) => readPageFile(distDir, name));
  const html = files.find(({ path }) => path === "/index.html");
  if (html === undefined) {
    throw new Error("The console is not built. Run `npm run setup`, then start the server again.");
  }
  return { html, files, paths: parsePaths(readFileSync(join(distDir, PATHS_FILE), "utf8")) };
}

/** Written by the build, for the server only. */
const PATHS_FILE = "paths.json";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

function isServed(name: string): boolean {
  const isVariant = CODINGS.some(({ suffix }) => name.endsWith(suffix));
  return !isVariant && !name.startsWith(".") && name !== PATHS_FILE;
}

function readPageFile(folder: string, name: string): PageFile {
  const plain = createVariant(null, readFileSync(join(folder, name)));
  const coded = CODINGS.flatMap(({ name: coding, suffix }) => {
    const content = readOptional(join(folder, name + suffix));
    return content === null ? [] : [createVariant(coding, content)];
  });
  const path = `/${name.split(sep).join("/")}`;
  return { path, type: typeOf(path), variants: [...coded, plain] };
}

function typeOf(path: string): string {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`${path} is of no known type.`);
  return type;
}

function createVariant(coding: Coding | null, content: Buffer): Variant {
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return { coding, content: share(content), etag: `"${digest}"` };
}

function readOptional(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function parsePaths(text: string): readonly string[] {
  const paths: unknown = JSON.parse(text);
  if (!Array.isArray(paths)) throw new Error(`${PATHS_FILE} is no list.`);
  return paths.map(String);
}
