import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { markAsShared } from "./unread-responses.ts";

/** The codings that files are stored in next to the original, smallest first, with their suffixes. */
const CONTENT_CODINGS = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

/** The name of a content coding (RFC 9110 section 8.4.1). */
export type ContentCoding = (typeof CONTENT_CODINGS)[number]["name"];

/** One coding of a file's content, or the plain content. */
export interface FileVariant {
  /** Null for the plain content. */
  readonly coding: ContentCoding | null;
  readonly content: Buffer;
  /** The value of the `ETag` header, with its quotes. */
  readonly etag: string;
}

/** A file that is the same for every client, in all its codings. */
export interface StaticFile {
  /** The path from the root of the server: `/assets/main-x1.js`. */
  readonly path: string;
  readonly contentType: string;
  /** The variants by size: the smallest coding first, the plain content last. */
  readonly variants: readonly FileVariant[];
}

/** The built console: its files, and the paths that serve its page. */
export interface BuiltConsole {
  readonly html: StaticFile;
  readonly files: readonly StaticFile[];
  /** Paths of the console. A segment that starts with `$` matches any segment. */
  readonly paths: readonly string[];
}

/** With this quality, the output is nearly as small as with the highest one, in a hundredth of the time. */
const BROTLI_QUALITY = 6;

/** 132 bits of a digest in base64url, which is enough to tell all versions of a file apart. */
const ETAG_CHARACTERS = 22;

/** Returns a file with this content, in all codings that are smaller. Throws for an unknown file type. */
export async function createStaticFile(path: string, content: Buffer): Promise<StaticFile> {
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
  return { path, contentType: getContentType(path), variants };
}

/** The consoles that this process has read. */
const consolesByFolder = new Map<string, BuiltConsole>();

/**
 * Returns the console that was built into a folder. Reads it once per process. Throws if there is none, or if a file
 * has a type that the server does not serve.
 */
export function loadConsole(distDir: string): BuiltConsole {
  const built = consolesByFolder.get(distDir) ?? readConsole(distDir);
  consolesByFolder.set(distDir, built);
  return built;
}

function readConsole(distDir: string): BuiltConsole {
  const names = listFiles(distDir);
  const files = names.filter(isServed).map((name) => readStaticFile(distDir, name));
  const html = files.find(({ path }) => path === "/index.html");
  if (html === undefined) {
    throw new Error("The console is not built. Run `npm run setup`, then start the server again.");
  }
  return { html, files, paths: parsePaths(readFileSync(join(distDir, PATHS_FILE), "utf8")) };
}

/** The list of the console's paths. The build writes it for the server only. */
const PATHS_FILE = "paths.json";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
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
  const isVariant = CONTENT_CODINGS.some(({ suffix }) => name.endsWith(suffix));
  return !isVariant && !name.startsWith(".") && name !== PATHS_FILE;
}

function readStaticFile(folder: string, name: string): StaticFile {
  const plainVariant = createVariant(null, readFileSync(join(folder, name)));
  const codedVariants = CONTENT_CODINGS.flatMap(({ name: coding, suffix }) => {
    const content = readFileIfExists(join(folder, name + suffix));
    return content === null ? [] : [createVariant(coding, content)];
  });
  const path = `/${name.split(sep).join("/")}`;
  return { path, contentType: getContentType(path), variants: [...codedVariants, plainVariant] };
}

function getContentType(path: string): string {
  const type = CONTENT_TYPES[extname(path)];
  if (type === undefined) throw new Error(`${path} has an unknown file type.`);
  return type;
}

function createVariant(coding: ContentCoding | null, content: Buffer): FileVariant {
  const digest = createHash("sha256").update(content).digest("base64url");
  return { coding, content: markAsShared(content), etag: `"${digest.slice(0, ETAG_CHARACTERS)}"` };
}

function readFileIfExists(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function parsePaths(text: string): readonly string[] {
  const paths: unknown = JSON.parse(text);
  if (!Array.isArray(paths)) throw new Error(`${PATHS_FILE} is not a list.`);
  return paths.map(String);
}
