import { linkWay } from "@tocsin/sdk";
import type { ConsolePage } from "./console-page.ts";

/** Detects damage by hostile texts to a page. Both lists must be empty. */
export interface Tripwire {
  /** Returns the scripts and dialogs that ran so far. */
  tripped(): Promise<readonly string[]>;
  /** Returns the faults of the current page. */
  faults(): Promise<readonly string[]>;
}

/** Sets a tripwire in every document that the page opens from now on. */
export async function setTripwire({ page }: ConsolePage): Promise<Tripwire> {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.evaluateOnNewDocument(INSTALL_TRIP);
  return {
    tripped: async () => [
      ...dialogs,
      ...asList(await page.evaluate("window.trips ?? ['no wire']")),
    ],
    faults: async () =>
      asList(await page.evaluate(FIND_FAULTS)).filter((fault) => !isHarmless(fault)),
  };
}

/** Prefix of a fault about a link that is not a web page. */
const OTHER_LINK = "a link to ";

/** A link that only prepares a mail or a call is harmless. */
function isHarmless(fault: string): boolean {
  return fault.startsWith(OTHER_LINK) && linkWay(fault.slice(OTHER_LINK.length)) === "open";
}

function asList(found: unknown): readonly string[] {
  // The expressions return lists of strings.
  return found as readonly string[];
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
    const wide = [...document.querySelectorAll("main *")].findLast((one) => one.getBoundingClientRect().right > innerWidth);
    faults.push("the page is " + scrollWidth + " px wide at " + innerWidth + ": " + wide?.outerHTML.slice(0, 160));
  }
  return [...new Set(faults)];
})()`;
