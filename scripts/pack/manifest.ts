import { getExportedSource, type Exports } from "../packages.ts";

/** The fields read of a workspace's package.json. */
export interface WorkspaceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly exports?: Exports;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** How a workspace is placed in its package, and the Node versions that it supports. */
export interface ManifestOptions {
  /** The folder of the workspace in its package: "" or a path that ends in a slash. */
  readonly base: string;
  /** Whether the package contains type declarations next to the code. */
  readonly isTyped: boolean;
  readonly engines: Readonly<Record<string, string>>;
}

/** Returns the published package.json: TypeScript paths become JavaScript paths, and development fields are removed. */
export function createPublishedManifest(
  { bin, imports, exports, ...manifest }: WorkspaceManifest,
  { base, isTyped, engines }: ManifestOptions,
): object {
  const { name, version, description, license, dependencies = {} } = manifest;
  const toPublishedPath = (path: string) =>
    path.replace(/^\.\//, `./${base}`).replace(/\.ts$/, ".js");
  const toPublishedExport = (file: Exports[string]) => {
    const path = toPublishedPath(getExportedSource(file));
    return isTyped ? { types: path.replace(/\.js$/, ".d.ts"), default: path } : path;
  };
  return {
    name,
    version,
    description,
    license,
    type: "module",
    sideEffects: false,
    engines,
    ...(bin && { bin: mapValues(bin, toPublishedPath) }),
    ...(base === "" && imports && { imports: toPublishedImports(imports) }),
    ...(exports && { exports: mapValues(exports, toPublishedExport) }),
    dependencies,
  };
}

/**
 * Returns the inner package.json of a workspace in a subfolder of its package. The workspace's code reads this file, and
 * Node resolves the imports of that code by it.
 */
export function createInnerManifest({ name, version, imports }: WorkspaceManifest): object {
  return { name, version, type: "module", imports: toPublishedImports(imports) };
}

/** Keeps specifiers such as `#a.ts` and maps them to JavaScript files. */
function toPublishedImports(imports: WorkspaceManifest["imports"] = {}) {
  return Object.fromEntries(
    Object.entries(imports).map(([name, path]) => [`${name}.ts`, `${path}.js`]),
  );
}

function mapValues<V, T>(record: Readonly<Record<string, V>>, map: (value: V) => T) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
