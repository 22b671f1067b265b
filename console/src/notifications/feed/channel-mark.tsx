import type { CSSProperties } from "react";
import { getChannelStyle } from "./channel-style.ts";
import classes from "./channel-mark.module.css";

/** The symbol and colour of a channel, next to its name. Hidden from screen readers, which read the name. */
export function ChannelMark({ channel }: { readonly channel: string }) {
  const { symbol: ChannelSymbol, hue } = getChannelStyle(channel);
  const style: CSSProperties & Record<"--channel-hue", number> = { "--channel-hue": hue };
  return (
    <span className={classes["mark"]} style={style} aria-hidden>
      {typeof ChannelSymbol === "string" ? ChannelSymbol : <ChannelSymbol size="62%" stroke={2} />}
    </span>
  );
}
