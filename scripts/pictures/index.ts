// npm run pictures   retakes the pictures of the README and of docs/ in Chromium
import test from "node:test";
import { takeIphonePictures } from "./iphone.ts";
import { takeReadmePictures } from "./readme.ts";

await test("the pictures of docs/iphone.md", takeIphonePictures);
await test("the pictures of the README", takeReadmePictures);
