import shell from "./en/shell.json" with { type: "json" };
import state from "./en/state.json" with { type: "json" };
import error from "./en/error.json" with { type: "json" };
import page from "./en/page.json" with { type: "json" };
import feed from "./en/feed.json" with { type: "json" };
import onboarding from "./en/onboarding.json" with { type: "json" };
import device from "./en/device.json" with { type: "json" };
import notificationState from "./en/notification-state.json" with { type: "json" };
import delivery from "./en/delivery.json" with { type: "json" };
import key from "./en/key.json" with { type: "json" };

/** English texts of the frame and the feed, one file per topic. Every other language has the same keys. */
export const texts = {
  shell,
  state,
  error,
  page,
  feed,
  onboarding,
  device,
  notificationState,
  delivery,
  key,
};
