import "./picture.css";
import type { FrameMessage } from "./message.ts";

/** Shows the picture at an address, which is behind `#`, and sends its size to the page around it. */
function show(address: string): void {
  if (!/^https?:/i.test(address)) return;
  const image = new Image();
  // The frame's title describes it.
  image.alt = "";
  image.addEventListener("load", () => {
    tell({ kind: "shown", width: image.naturalWidth, height: image.naturalHeight });
  });
  image.addEventListener("error", () => tell({ kind: "failed" }));
  image.src = address;
  document.body.append(image);
}

function tell(message: FrameMessage): void {
  window.parent.postMessage(message, location.origin);
}

show(decodeURIComponent(location.hash.slice(1)));
