import type { Account } from "@tocsin/sdk";
import { showReset, showSetUp, showVerification } from "./accounts/link-pages.ts";
import { showSignedOut } from "./accounts/signed-out.ts";
import { client } from "./client.ts";
import { turnOff } from "./devices/this-device.ts";
import { messageOf } from "./errors.ts";
import type { Frame, Shown } from "./frame.ts";
import { showHome } from "./home.ts";
import { actionButton } from "./page/action-button.ts";
import { fill, make, makeTitle } from "./page/make.ts";
import { makeStatus } from "./page/status.ts";
import { routeOf, type Route } from "./route.ts";
import { showInvitation } from "./teams/invitation.ts";
import { parseWorkerMessage } from "./worker-message.ts";

const main = elementById("main");
const accountBox = elementById("account");
const network = elementById("network");

let route: Route = routeOf(new URL(location.href));
let view = new AbortController();
let shown: Shown | null = null;

// The secret of a link belongs neither into the address bar nor into the history.
if (location.search !== "") history.replaceState(null, "", location.pathname);

addEventListener("popstate", () => {
  route = routeOf(new URL(location.href));
  arrive();
});
addEventListener("online", showNetwork);
addEventListener("offline", showNetwork);
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const message = parseWorkerMessage(data);
    if (message?.kind === "open") go(message.path);
  });
}
showNetwork();
await start();

/** Shows the route to whoever is signed in now. */
async function start(): Promise<void> {
  view.abort();
  view = new AbortController();
  const { signal } = view;
  main.setAttribute("aria-busy", "true");
  try {
    const { account } = await client.session();
    if (signal.aborted) return;
    if (account !== null && route.kind === "set-up") {
      // Who is signed in has no first account to make, whatever the link says.
      load("/");
      return;
    }
    showAccount(account);
    show(viewOf({ account, signal, go, reload }));
  } catch (error) {
    if (!signal.aborted) show(unreachable(error));
  }
}

/** Home stays as it is between its notifications: it may show a key that nobody can see again. */
function go(path: string): void {
  const url = new URL(path, location.origin);
  const next = routeOf(url);
  if (next.kind !== "home" || shown?.open === undefined) {
    load(path);
    return;
  }
  if (url.pathname !== location.pathname) history.pushState(null, "", url.pathname);
  route = next;
  shown.open(next.openId);
}

function arrive(): void {
  if (route.kind === "home" && shown?.open !== undefined) shown.open(route.openId);
  else void start();
}

async function reload(path?: string): Promise<void> {
  if (path === undefined) await start();
  else load(path);
}

/** The worker tells pages apart by the address they were loaded from; a link that was used is not gone back to. */
function load(path: string): void {
  location.replace(path);
}

function viewOf(frame: Frame): Shown {
  switch (route.kind) {
    case "set-up":
      return showSetUp(frame, route.token);
    case "invitation":
      return showInvitation(frame, route.token);
    case "verify":
      return showVerification(frame, route.token);
    case "reset":
      return showReset(frame, route.token);
    case "home":
      return frame.account === null
        ? showSignedOut(frame)
        : showHome(frame, frame.account, route.openId);
  }
}

function show(next: Shown): void {
  const { title, content } = next;
  shown = next;
  document.title = title === "Tocsin" ? title : `${title} · Tocsin`;
  fill(main, content);
  main.removeAttribute("aria-busy");
  // A screen reader starts at the new view's heading; the page shows no ring for that.
  main.querySelector("h1")?.focus({ preventScroll: true });
}

function showAccount(account: Account | null): void {
  if (account === null) {
    fill(accountBox);
    return;
  }
  const status = makeStatus();
  const signOut = actionButton({
    label: "Sign out",
    className: "small",
    status,
    run: async () => {
      // Notifications reach the devices that are signed in.
      await turnOff(account.id);
      await client.signOut();
      await reload("/");
    },
  });
  const email = make("span", { class: "quiet email" }, account.email);
  fill(accountBox, status.element, email, signOut);
}

function unreachable(error: unknown): Shown {
  const status = makeStatus();
  const again = actionButton({ label: "Try again", className: "primary", status, run: start });
  const text = make("p", { role: "alert" }, messageOf(error));
  const title = makeTitle("Tocsin cannot be reached");
  return {
    title: "Not reached",
    content: make("section", { class: "card narrow" }, title, text, again, status.element),
  };
}

function showNetwork(): void {
  network.textContent = navigator.onLine ? "" : "You are offline. What you see may be out of date.";
}

function elementById(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}
