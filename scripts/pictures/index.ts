// npm run pictures   retakes the screenshots of the README and of docs/ in Chromium
import test from "node:test";
import { takeIphoneScreenshots } from "./iphone.ts";
import { takeReadmeScreenshots } from "./readme.ts";

await test("docs/iphone.md gets new screenshots", takeIphoneScreenshots);
await test("README.md and docs/index.md get new screenshots", takeReadmeScreenshots);
