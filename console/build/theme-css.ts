import {
  convertCssVariables,
  deepMerge,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";
import type { Plugin } from "vite";
import { theme, themeVariables } from "../src/theme.ts";

const NAME = "virtual:theme.css";
const RESOLVED = "\0virtual:theme.css";

/**
 * Returns the plugin that provides `virtual:theme.css`, the variables of the theme as a file. Mantine would write them
 * into a `<style>` element at run time, which neither the Content-Security-Policy nor Trusted Types allow.
 */
export function themeCss(): Plugin {
  return {
    name: "tocsin-theme-css",
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    load: (id) => (id === RESOLVED ? cssOfTheme() : null),
  };
}

function cssOfTheme(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const variables = deepMerge(defaultCssVariablesResolver(merged), themeVariables(merged));
  const scheme = convertCssVariables({
    variables: {},
    light: { "--mantine-color-scheme": "light" },
    dark: { "--mantine-color-scheme": "dark" },
  });
  return convertCssVariables(variables) + scheme;
}
