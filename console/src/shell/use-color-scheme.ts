// Only this file may import the hook of Mantine.
// oxlint-disable-next-line no-restricted-imports
import { useMantineColorScheme } from "@mantine/core";

/**
 * Returns the colour scheme and its setter. Keeps transitions, because Mantine would stop them with a style element.
 */
export function useColorScheme() {
  return useMantineColorScheme({ keepTransitions: true });
}
