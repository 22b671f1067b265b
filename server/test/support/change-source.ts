import { registerHooks } from "node:module";

/** Where a text stands, and what is to stand there instead. */
export interface Replacement {
  /** Stands in the source exactly once. */
  readonly replace: string;
  readonly by: string;
}

/** Loads the one source file of this process whose path ends so with another text. */
export function changeSource(end: string, change: (source: string) => string): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(end)) return loaded;
      const source = loaded.source ?? "";
      const text = typeof source === "string" ? source : new TextDecoder().decode(source);
      return { ...loaded, source: change(text) };
    },
  });
}

/** Returns the source with the replacement; null where the text does not stand there exactly once. */
export function replaceOnce(source: string, { replace, by }: Replacement): string | null {
  const [before, after, ...more] = source.split(replace);
  if (before === undefined || after === undefined || more.length > 0) return null;
  return `${before}${by}${after}`;
}
