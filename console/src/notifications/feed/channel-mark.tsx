import type { CSSProperties } from "react";
import { channelLook } from "./channel-look.ts";
import classes from "./channel-mark.module.css";

/** Icon and colour of a channel, beside its name: screen readers read the name alone. */
export function ChannelMark({ channel }: { readonly channel: string }) {
  const { sign: Sign, hue } = channelLook(channel);
  const style: CSSProperties & Record<"--channel-hue", number> = { "--channel-hue": hue };
  return (
    <span className={classes["mark"]} style={style} aria-hidden>
      {typeof Sign === "string" ? Sign : <Sign size="62%" stroke={2} />}
    </span>
  );
}
