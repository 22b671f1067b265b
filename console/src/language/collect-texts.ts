/** Returns the texts of a language by key, such as `feed.title`. */
export function collectTexts(language: object): ReadonlyMap<string, string> {
  return new Map(flatten("", language));
}

function flatten(path: string, value: unknown): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value ?? {}).flatMap(([key, child]) =>
    flatten(path === "" ? key : `${path}.${key}`, child),
  );
}
