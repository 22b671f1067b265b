import "./picture.css";
import type { FrameMessage } from "./frame-message.ts";

/** Shows the picture at a URL and tells the page around it the size, or that the picture failed to load. */
function showPicture(url: string): void {
  if (!/^https?:/i.test(url)) return;
  const image = new Image();
  // The title of the frame describes the picture.
  image.alt = "";
  image.addEventListener("load", () => {
    postToPage({ kind: "shown", width: image.naturalWidth, height: image.naturalHeight });
  });
  image.addEventListener("error", () => postToPage({ kind: "failed" }));
  image.src = url;
  document.body.append(image);
}

function postToPage(message: FrameMessage): void {
  window.parent.postMessage(message, location.origin);
}

showPicture(decodeURIComponent(location.hash.slice(1)));
