import { linkWay } from "@tocsin/sdk";
import type { ConsolePage } from "./console-page.ts";

/** Damage that hostile texts did to a page, in words; an empty list is the only good answer. */
export interface Tripwire {
  /** Returns what ran so far. */
  tripped(): Promise<readonly string[]>;
  /** Returns what is wrong with the page as it is now. */
  faults(): Promise<readonly string[]>;
}

/** Sets a tripwire in every document that the page opens from now on. */
export async function setTripwire({ page }: ConsolePage): Promise<Tripwire> {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.evaluateOnNewDocument(TRIP);
  return {
    tripped: async () => [
      ...dialogs,
      ...listOf(await page.evaluate("window.trips ?? ['no wire']")),
    ],
    faults: async () => listOf(await page.evaluate(FAULTS)).filter((fault) => !isHarmless(fault)),
  };
}

/** How a fault begins that is a link to something else than a page. */
const OTHER_LINK = "a link to ";

/** A link to something else than a page is one that may be opened by a click: it prepares a mail or a call. */
function isHarmless(fault: string): boolean {
  return fault.startsWith(OTHER_LINK) && linkWay(fault.slice(OTHER_LINK.length)) === "open";
}

function listOf(found: unknown): readonly string[] {
  // The expressions make lists of strings.
  return found as readonly string[];
}

const TRIP = `window.trips = [];
window.trip = () => { trips.push("a text ran") };`;

/** Elements that no page of ours has inside its main part, and what no element of ours has. */
const FAULTS = `(() => {
  const faults = [];
  const foreign = "script,style,iframe,frame,object,embed,link,meta,base,img,image,video,audio,source,track,math," +
    "template,noscript,marquee,dialog,slot,foreignObject,animate,use,isindex,x-element," +
    "[src],[srcset],[srcdoc],[formaction],[action],[background],[ping]";
  for (const element of document.querySelectorAll("main :is(" + foreign + ")")) {
    faults.push("an element of nobody's: " + element.outerHTML.slice(0, 100));
  }
  for (const element of document.querySelectorAll("body *")) {
    for (const { name } of element.attributes) if (/^on/i.test(name)) faults.push("an attribute " + name);
  }
  for (const link of document.querySelectorAll("a, area, svg a")) {
    const url = new URL(link.href, location.href);
    const isWeb = /^https?:$/.test(url.protocol);
    if (!isWeb) faults.push(${JSON.stringify(OTHER_LINK)} + url.href);
    const isOurs = url.origin === location.origin;
    if (isWeb && !isOurs && !["noopener", "noreferrer"].every((word) => link.relList.contains(word))) {
      faults.push("a link that tells where it comes from: " + url.href.slice(0, 100));
    }
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll("main *")].findLast((one) => one.getBoundingClientRect().right > innerWidth);
    faults.push("the page is " + scrollWidth + " px wide at " + innerWidth + ": " + wide?.outerHTML.slice(0, 160));
  }
  return [...new Set(faults)];
})()`;
