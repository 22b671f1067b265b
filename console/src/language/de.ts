import shell from "./de/shell.json" with { type: "json" };
import state from "./de/state.json" with { type: "json" };
import error from "./de/error.json" with { type: "json" };
import page from "./de/page.json" with { type: "json" };
import feed from "./de/feed.json" with { type: "json" };
import onboarding from "./de/onboarding.json" with { type: "json" };
import device from "./de/device.json" with { type: "json" };
import notificationState from "./de/notification-state.json" with { type: "json" };
import delivery from "./de/delivery.json" with { type: "json" };
import key from "./de/key.json" with { type: "json" };

/** German texts of the frame and the feed, one file per topic. */
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
