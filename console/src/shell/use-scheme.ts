// The one place for it.
// oxlint-disable-next-line no-restricted-imports
import { useMantineColorScheme } from "@mantine/core";

/** Returns the colour scheme and its setter, without the style element by which Mantine would stop transitions. */
export function useScheme() {
  return useMantineColorScheme({ keepTransitions: true });
}
