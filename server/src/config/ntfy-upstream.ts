import { conceal, CONCEALED_VALUE } from "./conceal.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** The server of ntfy that is asked to wake iPhones. */
export interface NtfyUpstream {
  /** An origin, without a trailing slash. */
  readonly url: string;
  /** An access token of an account there; null for requests without one. */
  readonly token: string | null;
}

/** Returns the settings of `TOCSIN_NTFY_UPSTREAM…`; null if iPhones are not woken. */
export function readNtfyUpstream(reader: EnvironmentReader): NtfyUpstream | null {
  const token = reader.readText("TOCSIN_NTFY_UPSTREAM_TOKEN");
  if (reader.readText("TOCSIN_NTFY_UPSTREAM") === null) {
    if (token !== null) {
      reader.problems.push("TOCSIN_NTFY_UPSTREAM_TOKEN: give TOCSIN_NTFY_UPSTREAM, too.");
    }
    return null;
  }
  const url = reader.readOrigin("TOCSIN_NTFY_UPSTREAM", "https://ntfy.sh");
  if (token !== null && !TOKEN_SHAPE.test(token)) {
    reader.problems.push("TOCSIN_NTFY_UPSTREAM_TOKEN: give an access token such as tk_….");
  }
  return conceal({ url, token }, { url, token: token === null ? null : CONCEALED_VALUE });
}

/** ntfy's tokens, `tk_` and 29 letters and digits, and whatever else a header can hold as a token. */
const TOKEN_SHAPE = /^[\w.~+/=-]{1,200}$/;
