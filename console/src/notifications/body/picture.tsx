import { Button, Text } from "@mantine/core";
import { IconEyeOff, IconPhoto } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { parseFrameMessage, type FrameMessage } from "../../picture/message.ts";
import { PATHS_OF_FRAMES } from "../../paths.ts";
import { webUrlOf } from "../link.ts";
import classes from "./body.module.css";
import { hidePicturesOf, showPicturesOf, usePicturesOf } from "./picture-hosts.ts";

export interface PictureProps {
  readonly address: string;
  /** Description of the picture; empty if there is none. */
  readonly text: string;
}

/**
 * A picture from the web: loading it tells its host who reads and when, so a person has to ask for it, once per host.
 */
export function Picture({ address, text }: PictureProps) {
  const url = webUrlOf(address);
  return url === null ? text : <OfHost url={url} text={text} />;
}

function OfHost({ url, text }: { readonly url: URL; readonly text: string }) {
  const { t } = useTranslation();
  const { host } = url;
  const isShown = usePicturesOf(host);
  return (
    <span className={classes["picture"]} data-picture>
      {isShown && <Framed key={url.href} url={url} text={text} />}
      <Button
        variant={isShown ? "subtle" : "default"}
        color="gray"
        size="compact-sm"
        leftSection={
          isShown ? <IconEyeOff size={16} aria-hidden /> : <IconPhoto size={16} aria-hidden />
        }
        onClick={() => (isShown ? hidePicturesOf(host) : showPicturesOf(host))}
      >
        {t(isShown ? "feed.hidePictures" : "feed.showPictures", { host })}
      </Button>
      {!isShown && text !== "" && (
        <Text span size="sm" c="dimmed">
          {text}
        </Text>
      )}
    </span>
  );
}

/** Frame whose policy allows pictures from anywhere and nothing else, so that the console's policy allows none. */
function Framed({ url, text }: { readonly url: URL; readonly text: string }) {
  const { t } = useTranslation();
  const frame = useRef<HTMLIFrameElement>(null);
  const [told, setTold] = useState<FrameMessage | null>(null);
  useEffect(() => {
    const view = new AbortController();
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return;
      setTold(parseFrameMessage(data));
    };
    addEventListener("message", listen, { signal: view.signal });
    return () => view.abort();
  }, []);
  if (told?.kind === "failed") {
    return (
      <Text span size="sm" c="dimmed">
        {t("feed.noPicture", { host: url.host })}
      </Text>
    );
  }
  return (
    <iframe
      ref={frame}
      className={classes["frame"]}
      // An address behind `#` is in no log of this server.
      src={`${PATHS_OF_FRAMES.picture}#${encodeURIComponent(url.href)}`}
      title={text === "" ? t("feed.image", { host: url.host }) : text}
      style={
        told === null ? {} : { aspectRatio: `${told.width} / ${told.height}`, maxWidth: told.width }
      }
    />
  );
}
