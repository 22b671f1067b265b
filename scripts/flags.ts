/** Returns the value of the first `--name=value` among the arguments. */
export function findFlagValue(name: string, args: readonly string[]): string | undefined {
  const start = `--${name}=`;
  return args.find((arg) => arg.startsWith(start))?.slice(start.length);
}

/** Returns the number of `--name=N` among the arguments, or the fallback; null if N is not a whole number above 0. */
export function parseCountFlag(
  name: string,
  { args, fallback }: { readonly args: readonly string[]; readonly fallback: number },
): number | null {
  const value = findFlagValue(name, args);
  if (value === undefined) return fallback;
  const count = Number(value);
  return Number.isInteger(count) && count > 0 ? count : null;
}

/** Returns the first flag among the arguments that is none of the known ones; undefined if there is none. */
export function findUnknownFlag(
  args: readonly string[],
  knownNames: readonly string[],
): string | undefined {
  return args.find((arg) => {
    const [, name] = /^--?([^=]*)/.exec(arg) ?? [];
    return name !== undefined && !knownNames.includes(name);
  });
}
