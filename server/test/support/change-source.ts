import { registerHooks } from "node:module";

/** A replacement in a source file. */
export interface Replacement {
  /** Must occur in the source exactly once. */
  readonly replace: string;
  readonly by: string;
}

/** Changes the source of the module whose path ends with `pathEnding` when this process loads it. */
export function changeSource(pathEnding: string, change: (source: string) => string): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(pathEnding)) return loaded;
      const source = loaded.source ?? "";
      const text = typeof source === "string" ? source : new TextDecoder().decode(source);
      return { ...loaded, source: change(text) };
    },
  });
}

/** Returns the source with the replacement; null if the text does not occur exactly once. */
export function replaceOnce(source: string, { replace, by }: Replacement): string | null {
  const [before, after, ...others] = source.split(replace);
  if (before === undefined || after === undefined || others.length > 0) return null;
  return `${before}${by}${after}`;
}
