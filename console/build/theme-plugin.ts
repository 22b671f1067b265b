import {
  convertCssVariables,
  deepMerge,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";
import type { Plugin } from "vite";
import { theme, themeVariables } from "../src/theme.ts";

const MODULE_ID = "virtual:theme.css";
const RESOLVED_MODULE_ID = "\0virtual:theme.css";

/**
 * Returns the plugin that provides `virtual:theme.css`, a style sheet with the variables of the theme. At run time,
 * Mantine would write them into a `<style>` element, which the Content-Security-Policy and Trusted Types forbid.
 */
export function themePlugin(): Plugin {
  return {
    name: "tocsin-theme-css",
    resolveId: (id) => (id === MODULE_ID ? RESOLVED_MODULE_ID : null),
    load: (id) => (id === RESOLVED_MODULE_ID ? createThemeCss() : null),
  };
}

function createThemeCss(): string {
  const mergedTheme = mergeMantineTheme(DEFAULT_THEME, theme);
  const variables = deepMerge(
    defaultCssVariablesResolver(mergedTheme),
    themeVariables(mergedTheme),
  );
  const schemeCss = convertCssVariables({
    variables: {},
    light: { "--mantine-color-scheme": "light" },
    dark: { "--mantine-color-scheme": "dark" },
  });
  return convertCssVariables(variables) + schemeCss;
}
