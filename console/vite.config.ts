import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { pathsPlugin } from "./build/paths-plugin.ts";
import { themePlugin } from "./build/theme-plugin.ts";

/** Modules of menus, dialogs and dropdowns, and their dependencies. The first page opens none. */
const OVERLAY_MODULES =
  /@mantine\/core\/esm\/(?:components\/(?:Drawer|FloatingIndicator|FocusTrap|Menu|Modal|ModalBase|Overlay|Popover|ScrollArea)|utils\/Floating)\/|@floating-ui|react-remove-scroll|react-style-singleton|node_modules\/use-callback-ref|use-sidecar|use-focus-(?:return|trap)|get-nonce|tslib/;

/** Animation of toasts, loaded with the first toast. The first page has only the queue of messages. */
const TOAST_MODULES =
  /@mantine\/notifications\/esm\/(?!notifications\.store|index)|react-transition-group|use-drag|@babel\/runtime|@mantine\/core\/esm\/components\/Notification\//;

/** Mantine components that the first page does not show, and their dependencies. */
const FORM_MODULES =
  /^(?!.*(?:CheckIcon|RadioIcon)).*(?:@mantine\/core\/esm\/components\/(?:Accordion|Alert|Autocomplete|Checkbox|Combobox|CopyButton|Fieldset|InlineInput|MultiSelect|NativeSelect|NavLink|NumberInput|PasswordInput|Pill|PillsInput|PinInput|Progress|RingProgress|Radio|SegmentedControl|Select|Stepper|Switch|Table|Tabs|TagsInput|Textarea|Timeline)\/|react-number-format|react-textarea-autosize|use-composed-ref|use-latest|@simplewebauthn|uqr)/;

/** Small modules that the frame or the feed share with most other pages. */
const PAGE_MODULES =
  /console\/src\/(?:page\/(?:action-button|button-link|page|query-states|single-key-shortcuts|timestamp|toasts|use-action)|language\/(?:date-format|lazy-with-texts)|notifications\/feed\/(?:density|display-title|get-urgent-priority|use-unread-count))\.tsx?$/;

export default defineConfig({
  plugins: [
    react(),
    themePlugin(),
    pathsPlugin(),
    VitePWA({
      strategies: "injectManifest",
      srcDir: "src/worker",
      filename: "sw.ts",
      // The page registers the worker itself, under a Trusted Types policy, and the manifest is written by hand.
      injectRegister: false,
      manifest: false,
      injectManifest: {
        globPatterns: ["**/*.{html,js,css,svg,png,webmanifest}"],
        // Not precached: the API reference, because it needs the server, and the screenshots, because only app stores
        // show them.
        globIgnores: ["assets/reference-*", "screenshots/**"],
      },
    }),
  ],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2024",
    // The Content-Security-Policy allows no `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: "index.html", picture: "picture.html" },
      output: {
        codeSplitting: {
          groups: [
            // Modules that every page uses. They change only when a dependency is updated.
            {
              name: "react",
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[a-z-]+|i18next|react-i18next)\//,
            },
            // Modules that the first page does not load.
            {
              name: "overlays",
              test: OVERLAY_MODULES,
              minShareCount: 2,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            // Only messages in Markdown need the parser.
            {
              name: "parser",
              test: /node_modules\/(?:markdown-it|linkify-it|mdurl|uc\.micro|entities|punycode\.js)\//,
              priority: 2,
            },
            {
              name: "toasts",
              test: TOAST_MODULES,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            {
              name: "forms",
              test: FORM_MODULES,
              minShareCount: 2,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            // A chunk of its own for each of them would be larger than its module.
            {
              name: "page",
              test: PAGE_MODULES,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            // Otherwise each small component that two pages share would need a separate request.
            { name: "mantine", test: /node_modules/, minShareCount: 2, entriesAware: false },
          ],
        },
      },
    },
  },
});
