import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig } from "vitepress";
import { ROOT } from "../../scripts/files.ts";
import { extendMarkdown, linkedFiles } from "./markdown.ts";
import { listFilesAt, NON_PAGES, PAGES, createSidebar, toSitePath } from "./pages.ts";

const ICON = readFileSync(join(ROOT, "console/public/icons/bell.svg"), "base64");

/** Folders without pages; scanning them would take longer than building the site. */
const FOLDERS_WITHOUT_PAGES = [
  "node_modules",
  "console",
  "server",
  "scripts",
  "data",
  "screenshots",
];

export default defineConfig({
  title: "Tocsin",
  description: "One HTTP call reaches every device, and the response explains the result for each.",
  lang: "en",
  // Pages come from the whole repository, so that a git host shows them in their folders.
  srcDir: "..",
  srcExclude: [...NON_PAGES, ...FOLDERS_WITHOUT_PAGES.map((folder) => `${folder}/**`)],
  rewrites: toSitePath,
  cacheDir: "../node_modules/.cache/site",
  // scripts/site/ checks all links, headings and pictures, and reports every broken one.
  ignoreDeadLinks: true,
  head: [["link", { rel: "icon", href: `data:image/svg+xml;base64,${ICON}` }]],
  markdown: {
    config: extendMarkdown,
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    image: { lazyLoad: true },
  },
  vite: { publicDir: false, build: { chunkSizeWarningLimit: 1000 } },
  themeConfig: {
    logo: { light: "/icon.svg", dark: "/icon.svg" },
    search: { provider: "local" },
    sidebar: createSidebar(),
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    docFooter: { prev: "Before", next: "Next" },
    nav: [
      { text: "Start", link: "/start" },
      { text: "API", link: "/api" },
      { text: "Run it", link: "/running" },
    ].filter(({ link }) => PAGES.some(({ target }) => `/${target}` === `${link}.md`)),
    footer: { message: "Apache License 2.0" },
  },
  buildEnd({ outDir }) {
    for (const path of linkedFiles) {
      const sources = listFilesAt(path).map((file) => [
        file,
        readFileSync(join(ROOT, file), "utf8"),
      ]);
      const sections = sources.map(([file, text]) =>
        file === path ? text : `# ${file}\n\n${text}`,
      );
      write(join(outDir, "repository", `${path}.txt`), sections.join("\n\n"));
    }
    write(join(outDir, "icon.svg"), Buffer.from(ICON, "base64"));
  },
});

function write(target: string, content: string | Buffer): void {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}
