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

/** A file that everyone gets alike. */
export interface PageFile {
  /** From the root of the server: `/assets/main-x1.js`. */
  readonly path: string;
  readonly type: string;
  /** The smallest first, the plain content last. */
  readonly variants: readonly Variant[];
}

/** The built console: its files, and the paths that answer with the page. */
export interface BuiltConsole {
  readonly html: PageFile;
  readonly files: readonly PageFile[];
  /** A segment that begins with `$` matches any segment. */
  readonly paths: readonly string[];
}

/** Nearly as small as at the highest quality, in a hundredth of the time. */
const BROTLI_QUALITY = 6;

/** Returns a file of this content, with its codings. Throws for a name of unknown type. */
export async function makeFile(path: string, content: Buffer): Promise<PageFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content),
  ]);
  const variants = [
    variantOf("br", brotli),
    variantOf("gzip", gzipped),
    variantOf(null, content),
  ].filter(({ coding, content: { length } }) => coding === null || length < content.length);
  return { path, type: typeOf(path), variants };
}

/** Consoles that this process has read, by folder. */
const known = new Map<string, BuiltConsole>();

/**
 * Returns the console built into a folder, as it was when this process first read it. Throws if there is none, or if a
 * file has a type that we do not serve.
 */
export function consoleIn(distDir: string): BuiltConsole {
  const built = known.get(distDir) ?? readConsole(distDir);
  known.set(distDir, built);
  return built;
}

function readConsole(distDir: string): BuiltConsole {
  const names = namesBelow(distDir);
  const files = names.filter(isServed).map((name) => readPageFile(distDir, name));
  const html = files.find(({ path }) => path === "/index.html");
  if (html === undefined) {
    throw new Error("The console is not built. Run `npm run setup`, then start the server again.");
  }
  return { html, files, paths: pathsOf(readFileSync(join(distDir, PATHS_FILE), "utf8")) };
}

/** Written by the build, for the server alone. */
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

function namesBelow(folder: string): readonly string[] {
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
  const plain = variantOf(null, readFileSync(join(folder, name)));
  const coded = CODINGS.flatMap(({ name: coding, suffix }) => {
    const content = readIfThere(join(folder, name + suffix));
    return content === null ? [] : [variantOf(coding, content)];
  });
  const path = `/${name.split(sep).join("/")}`;
  return { path, type: typeOf(path), variants: [...coded, plain] };
}

function typeOf(path: string): string {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`${path} is of no known type.`);
  return type;
}

function variantOf(coding: Coding | null, content: Buffer): Variant {
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return { coding, content: share(content), etag: `"${digest}"` };
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function pathsOf(text: string): readonly string[] {
  const paths: unknown = JSON.parse(text);
  if (!Array.isArray(paths)) throw new Error(`${PATHS_FILE} is no list.`);
  return paths.map(String);
}
