import { make, makeTitle } from "../page/make.ts";
import { makeStatus } from "../page/status.ts";

/** The elements of the feed that stay; all but the first are inside the first. */
export type FeedParts = ReturnType<typeof makeFeedParts>;

/** Returns the elements of a feed that is being loaded. */
export function makeFeedParts() {
  const status = makeStatus();
  /** Whether notifications come by themselves. */
  const live = make("span", { class: "live" }, "Connecting…");
  const actions = make("div", { class: "row" }, live);
  /** Tells screen readers what came. */
  const said = make("p", { class: "visually-hidden", role: "status" });
  const loading = make("p", { class: "quiet" }, "Loading…");
  const hint = make("p", { class: "quiet" });
  const command = make("div");
  const empty = make(
    "div",
    { class: "card empty", hidden: true },
    make("h3", {}, "Nothing here yet"),
    hint,
    command,
  );
  const lists = make("div", { class: "lists" });
  const more = make("div", { class: "row more", hidden: true });
  const head = make("div", { class: "head" }, makeTitle("Notifications"), actions);
  const element = make(
    "section",
    { class: "feed", "aria-label": "Notifications" },
    head,
    status.element,
    said,
    loading,
    empty,
    lists,
    more,
  );
  return { element, status, live, actions, said, loading, hint, command, empty, lists, more };
}
