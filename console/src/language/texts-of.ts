/** Returns the texts of a language by key, such as `feed.title`. */
export function textsOf(language: object): ReadonlyMap<string, string> {
  return new Map(flat("", language));
}

function flat(path: string, value: unknown): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value ?? {}).flatMap(([key, inner]) =>
    flat(path === "" ? key : `${path}.${key}`, inner),
  );
}
