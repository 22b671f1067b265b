import { decideLinkWay } from "@tocsin/sdk";
import type { ConsolePage } from "./console-page.ts";

/** Detects whether hostile texts have damaged a page. Both of its lists must be empty. */
export interface Tripwire {
  /** Returns the scripts and dialogs that ran so far. */
  listExecutedScripts(): Promise<readonly string[]>;
  /** Returns the faults of the current page. */
  findPageFaults(): Promise<readonly string[]>;
}

/** Installs a tripwire in every document that the page opens from now on. */
export async function installTripwire({ tab }: ConsolePage): Promise<Tripwire> {
  const dialogs: string[] = [];
  tab.on("dialog", (dialog) => {
    dialogs.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await tab.evaluateOnNewDocument(INSTALL_TRIP);
  return {
    listExecutedScripts: async () => [
      ...dialogs,
      ...toStringList(await tab.evaluate("window.trips ?? ['no wire']")),
    ],
    findPageFaults: async () =>
      toStringList(await tab.evaluate(FIND_FAULTS)).filter((fault) => !isHarmless(fault)),
  };
}

/** Prefix of a fault about a link that is not a web page. */
const OTHER_LINK = "a link to ";

/** Returns whether a fault is about a link that only prepares an email or a call. */
function isHarmless(fault: string): boolean {
  return fault.startsWith(OTHER_LINK) && decideLinkWay(fault.slice(OTHER_LINK.length)) === "open";
}

function toStringList(value: unknown): readonly string[] {
  // The expressions return lists of strings.
  return value as readonly string[];
}

const INSTALL_TRIP = `window.trips = [];
window.trip = () => { trips.push("a text was executed") };`;

/** Finds elements and attributes that the console does not use in its main part, unsafe links, and overflow. */
const FIND_FAULTS = `(() => {
  const faults = [];
  const foreign = "script,style,iframe,frame,object,embed,link,meta,base,img,image,video,audio,source,track,math," +
    "template,noscript,marquee,dialog,slot,foreignObject,animate,use,isindex,x-element," +
    "[src],[srcset],[srcdoc],[formaction],[action],[background],[ping]";
  for (const element of document.querySelectorAll("main :is(" + foreign + ")")) {
    faults.push("an unexpected element: " + element.outerHTML.slice(0, 100));
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
      faults.push("a link that exposes its origin: " + url.href.slice(0, 100));
    }
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) {
    const overflowing = [...document.querySelectorAll("main *")].findLast((element) => element.getBoundingClientRect().right > innerWidth);
    faults.push("the page is " + scrollWidth + " px wide on a screen of " + innerWidth + " px: " + overflowing?.outerHTML.slice(0, 160));
  }
  return [...new Set(faults)];
})()`;
