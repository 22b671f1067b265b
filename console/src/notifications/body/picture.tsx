import { Button, Text } from "@mantine/core";
import { IconEyeOff, IconPhoto } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { parseFrameMessage, type FrameMessage } from "../../picture/frame-message.ts";
import { FRAME_PATHS } from "../../paths.ts";
import { parseWebUrl } from "../classify-link.ts";
import classes from "./body.module.css";
import { disallowPictures, allowPictures, useArePicturesAllowed } from "./picture-hosts.ts";

interface PictureProps {
  readonly href: string;
  /** Description of the picture; empty if there is none. */
  readonly alt: string;
}

/** A picture from the web. Its host learns who reads the notification and when, so the reader must allow each host. */
export function Picture({ href, alt }: PictureProps) {
  const url = parseWebUrl(href);
  return url === null ? alt : <HostPicture url={url} alt={alt} />;
}

function HostPicture({ url, alt }: { readonly url: URL; readonly alt: string }) {
  const { t } = useTranslation();
  const { host } = url;
  const isShown = useArePicturesAllowed(host);
  return (
    <span className={classes["picture"]} data-picture>
      {isShown && <PictureFrame key={url.href} url={url} alt={alt} />}
      <Button
        variant={isShown ? "subtle" : "default"}
        color="gray"
        size="compact-sm"
        leftSection={
          isShown ? <IconEyeOff size={16} aria-hidden /> : <IconPhoto size={16} aria-hidden />
        }
        onClick={() => (isShown ? disallowPictures(host) : allowPictures(host))}
      >
        {t(isShown ? "feed.hidePictures" : "feed.showPictures", { host })}
      </Button>
      {!isShown && alt !== "" && (
        <Text span size="sm" c="dimmed">
          {alt}
        </Text>
      )}
    </span>
  );
}

/** A frame whose Content-Security-Policy allows only pictures, from any host. The console's own policy allows none. */
function PictureFrame({ url, alt }: { readonly url: URL; readonly alt: string }) {
  const { t } = useTranslation();
  const frameRef = useRef<HTMLIFrameElement>(null);
  const [message, setMessage] = useState<FrameMessage | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const handleMessage = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== location.origin || source !== frameRef.current?.contentWindow) return;
      setMessage(parseFrameMessage(data));
    };
    addEventListener("message", handleMessage, { signal: controller.signal });
    return () => controller.abort();
  }, []);
  if (message?.kind === "failed") {
    return (
      <Text span size="sm" c="dimmed">
        {t("feed.noPicture", { host: url.host })}
      </Text>
    );
  }
  return (
    <iframe
      ref={frameRef}
      className={classes["frame"]}
      // A URL in the fragment does not appear in the server's log.
      src={`${FRAME_PATHS.picture}#${encodeURIComponent(url.href)}`}
      title={alt === "" ? t("feed.image", { host: url.host }) : alt}
      style={
        message === null
          ? {}
          : { aspectRatio: `${message.width} / ${message.height}`, maxWidth: message.width }
      }
    />
  );
}
