/** The fields read of a workspace's package.json. */
export interface WorkspaceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface ManifestOptions {
  /** Where the workspace lies in its package: "" or a folder that ends in a slash. */
  readonly base: string;
  /** Whether declarations lie beside the code. */
  readonly isTyped: boolean;
  readonly engines: Readonly<Record<string, string>>;
}

/** Returns the package.json that is published: what named TypeScript names the JavaScript of it, and what only we need is gone. */
export function publishedManifest(
  { bin, imports, exports, ...manifest }: WorkspaceManifest,
  { base, isTyped, engines }: ManifestOptions,
): object {
  const { name, version, description, license, dependencies = {} } = manifest;
  const placed = (path: string) => path.replace(/^\.\//, `./${base}`).replace(/\.ts$/, ".js");
  const exported = (path: string) =>
    isTyped
      ? { types: placed(path).replace(/\.js$/, ".d.ts"), default: placed(path) }
      : placed(path);
  return {
    name,
    version,
    description,
    license,
    type: "module",
    sideEffects: false,
    engines,
    ...(bin && { bin: mapValues(bin, placed) }),
    ...(base === "" && imports && { imports: importsOf(imports) }),
    ...(exports && { exports: mapValues(exports, exported) }),
    dependencies,
  };
}

/** Returns the package.json of a workspace that lies in a folder of its package: what its own code reads, and finds files by. */
export function innerManifest({ name, version, imports }: WorkspaceManifest): object {
  return { name, version, type: "module", imports: importsOf(imports) };
}

/** `#a.ts` stays what the code says; the file behind it is JavaScript. */
function importsOf(imports: WorkspaceManifest["imports"] = {}) {
  return Object.fromEntries(
    Object.entries(imports).map(([name, path]) => [`${name}.ts`, `${path}.js`]),
  );
}

function mapValues<T>(record: Readonly<Record<string, string>>, map: (value: string) => T) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
