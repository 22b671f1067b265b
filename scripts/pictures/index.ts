// npm run pictures   retakes the screenshots of the README and of docs/ in Chromium
import test from "node:test";
import { takeIphoneScreenshots } from "./iphone.ts";
import { takePhoneAppScreenshots } from "./phone-apps.ts";
import { takeReadmeScreenshots } from "./readme.ts";

await test("docs/iphone.md gets new screenshots", takeIphoneScreenshots);
await test("docs/ntfy-and-gotify.md gets new screenshots", takePhoneAppScreenshots);
await test("README.md and docs/index.md get new screenshots", takeReadmeScreenshots);
