import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { pathsFile } from "./build/paths-file.ts";
import { themeCss } from "./build/theme-css.ts";

/** Modules of menus, dialogs and lists of choices, with everything that they alone import. The first page opens none. */
const ABOVE =
  /@mantine\/core\/esm\/(?:components\/(?:Drawer|FloatingIndicator|FocusTrap|Menu|Modal|ModalBase|Overlay|Popover|ScrollArea)|utils\/Floating)\/|@floating-ui|react-remove-scroll|react-style-singleton|node_modules\/use-callback-ref|use-sidecar|use-focus-(?:return|trap)|get-nonce|tslib/;

/** Animation of toasts, loaded with the first toast; the first page has only the queue of their messages. */
const TOASTS =
  /@mantine\/notifications\/esm\/(?!notifications\.store|index)|react-transition-group|use-drag|@babel\/runtime|@mantine\/core\/esm\/components\/Notification\//;

/** Components of Mantine that only other pages show, and what they alone import. */
const LATER =
  /^(?!.*(?:CheckIcon|RadioIcon)).*(?:@mantine\/core\/esm\/components\/(?:Accordion|Alert|Autocomplete|Checkbox|Combobox|CopyButton|InlineInput|MultiSelect|NativeSelect|NavLink|PasswordInput|Pill|PillsInput|PinInput|Progress|RingProgress|Radio|SegmentedControl|Select|Stepper|Switch|Table|Tabs|TagsInput|Textarea|Timeline)\/|react-textarea-autosize|use-composed-ref|use-latest|@simplewebauthn|uqr)/;

export default defineConfig({
  plugins: [
    react(),
    themeCss(),
    pathsFile(),
    VitePWA({
      strategies: "injectManifest",
      srcDir: "src/worker",
      filename: "sw.ts",
      // The page registers the worker itself, under a Trusted Types policy, and the manifest is written by hand.
      injectRegister: false,
      manifest: false,
      injectManifest: {
        globPatterns: ["**/*.{html,js,css,svg,png,webmanifest}"],
        // The API reference needs the server, and only app stores show screenshots: no browser loads them in advance.
        globIgnores: ["assets/reference-*", "screenshots/**"],
      },
    }),
  ],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2024",
    // The policy allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: "index.html", picture: "picture.html" },
      output: {
        codeSplitting: {
          groups: [
            // Modules of every page that change only with a dependency.
            {
              name: "react",
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[a-z-]+|i18next|react-i18next)\//,
            },
            // Modules that the first page does not use.
            {
              name: "above",
              test: ABOVE,
              minShareCount: 2,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            // Parses only messages whose sender asked for Markdown.
            {
              name: "parser",
              test: /node_modules\/(?:markdown-it|linkify-it|mdurl|uc\.micro|entities|punycode\.js)\//,
              priority: 2,
            },
            { name: "toasts", test: TOASTS, priority: 1, includeDependenciesRecursively: false },
            {
              name: "forms",
              test: LATER,
              minShareCount: 2,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            // Otherwise each small component that two pages share would be a request of its own.
            { name: "mantine", test: /node_modules/, minShareCount: 2, entriesAware: false },
          ],
        },
      },
    },
  },
});
