import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Text formats. PNG files are already compressed. */
const COMPRESSIBLE = /\.(?:html|js|css|svg|json|webmanifest)$/;
/** Minimum size of a file to compress. A smaller file fits into one packet, so compression gains nothing. */
const SIZE_MIN_BYTES = 1_024;

/**
 * Writes `FILE.br` and `FILE.gz` for the text files in a folder and its subfolders, except small ones, so that the
 * server never compresses.
 */
export async function compressAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name));
  await Promise.all(files.map(({ parentPath, name }) => compress(join(parentPath, name))));
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.byteLength < SIZE_MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength };
  const [brotliContent, gzipContent] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotliContent), writeFile(`${path}.gz`, gzipContent)]);
}
