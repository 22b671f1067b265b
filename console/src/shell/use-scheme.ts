// Only this file may import it.
// oxlint-disable-next-line no-restricted-imports
import { useMantineColorScheme } from "@mantine/core";

/** Returns the colour scheme and its setter. Keeps transitions, because Mantine would stop them with a style element. */
export function useScheme() {
  return useMantineColorScheme({ keepTransitions: true });
}
