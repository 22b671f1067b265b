import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "puppeteer-core";

/** Widths in pixels: Apple's Home Screen, notifications, app launchers. */
const ICON_SIZES_PX = [180, 192, 512];
const folder = join(import.meta.dirname, "../public/icons");

/** Draws the PNG icons from `bell.svg`: `node console/build/draw-icons.ts /path/to/chromium`. */
async function drawIcons(executablePath: string): Promise<void> {
  const svg = await readFile(join(folder, "bell.svg"), "base64");
  const browser = await launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    for (const size of ICON_SIZES_PX) {
      await page.setViewport({ width: size, height: size });
      const image = `<img src="data:image/svg+xml;base64,${svg}" width="${size}" height="${size}">`;
      await page.setContent(`<style>*{margin:0;display:block}</style>${image}`);
      await page.screenshot({ path: join(folder, `bell-${size}.png`) });
    }
  } finally {
    await browser.close();
  }
}

await drawIcons(process.argv[2] ?? "/usr/bin/chromium");
