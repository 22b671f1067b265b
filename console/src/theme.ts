import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";

const ACCENT: MantineColorsTuple = [
  "#eff1ff",
  "#dfe2fb",
  "#bdc3f5",
  "#a9b0f8",
  "#959df5",
  "#737de6",
  "#5f69dc",
  "#525bd2",
  "#4650c8",
  "#363fa6",
];

const GRAY: MantineColorsTuple = [
  "#fafafa",
  "#f4f4f5",
  "#e9e9ec",
  "#dedee3",
  "#cfcfd6",
  "#a6a6b0",
  "#80808c",
  "#5b5b66",
  "#3a3a42",
  "#1c1c21",
];

const DARK: MantineColorsTuple = [
  "#ececf0",
  "#b4b4bf",
  "#90909b",
  "#6d6d78",
  "#3d3d45",
  "#2d2d33",
  "#202024",
  "#18181b",
  "#121214",
  "#0c0c0e",
];

/**
 * Theme of the console: neutral greys and one accent. The build writes its variables to a file. `primaryShade`,
 * `autoContrast` and `themeVariables` give text the contrast that WCAG 2.2 AA requires.
 */
export const theme = createTheme({
  colors: { accent: ACCENT, gray: GRAY, dark: DARK },
  primaryColor: "accent",
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  black: "#1c1c21",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace",
  headings: { fontWeight: "650" },
  // Menus and dialogs close without an animation. A menu that fades out would still receive clicks, for example clicks on the
  // close button of the dialog that it opened.
  components: {
    // Mantine locks scrolling with a style element. theme.css locks it without a style element.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        transitionProps: { transition: "pop", duration: 200, exitDuration: 0 },
      },
    },
    Drawer: { defaultProps: { lockScroll: false } },
    // The placeholder for the initial focus is a child that the menu role does not allow.
    Menu: {
      defaultProps: { withInitialFocusPlaceholder: false, transitionProps: { exitDuration: 0 } },
    },
    Badge: { defaultProps: { tt: "none" } },
    Tooltip: { defaultProps: { openDelay: 400 } },
  },
});

/** Returns the variables that differ from Mantine's defaults, whose dimmed text has too little contrast. */
export const themeVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-dimmed": colors.gray[7],
    "--mantine-color-placeholder": colors.gray[7],
    "--mantine-color-error": "#b3261e",
    "--mantine-color-accent-light": ACCENT[0],
    "--mantine-color-accent-light-hover": ACCENT[1],
    "--mantine-color-accent-light-color": ACCENT[8],
    "--mantine-color-green-light-color": "#17652f",
    "--mantine-color-yellow-light-color": "#7a4700",
    "--mantine-color-default-border": colors.gray[3],
    "--tocsin-page": colors.gray[0],
    "--tocsin-line": colors.gray[2],
    "--tocsin-good": "#1a7f43",
  },
  dark: {
    "--mantine-color-body": colors.dark[7],
    "--mantine-color-dimmed": colors.dark[1],
    "--mantine-color-placeholder": colors.dark[1],
    "--mantine-color-error": "#ff9d94",
    "--mantine-color-accent-light": "#23244a",
    "--mantine-color-accent-light-hover": "#2d2f5e",
    "--mantine-color-accent-light-color": ACCENT[2],
    "--mantine-color-default-border": colors.dark[4],
    "--tocsin-page": colors.dark[8],
    "--tocsin-line": colors.dark[5],
    "--tocsin-good": "#6fd39a",
  },
});
