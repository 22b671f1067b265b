import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { CurlBuilder } from "./curl-builder.ts";
import "./theme.css";

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component("CurlBuilder", CurlBuilder);
  },
} satisfies Theme;
