/**
 * Returns the members of a JSON object by their names in lower case. The servers of ntfy and Gotify accept any letter case
 * (Go's `encoding/json`), and so some senders write `Topic` and `Message`. Of equal names, the last one counts.
 */
export function foldNames(object: object): Readonly<Record<string, unknown>> {
  const members: readonly (readonly [string, unknown])[] = Object.entries(object);
  return Object.fromEntries(members.map(([name, value]) => [name.toLowerCase(), value]));
}
