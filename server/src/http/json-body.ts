import { AppError } from "#errors.ts";

/** The maximum nesting of a body of our own API. Deeper JSON is refused before it is parsed. */
const JSON_DEPTH_MAX = 8;

/**
 * Returns the value of a JSON body. An empty body is `undefined`, so that a body can be optional. Throws
 * `invalid_json` for invalid UTF-8, malformed JSON, trailing text and nesting deeper than `depthMax`.
 */
export function parseJsonBody(bytes: Uint8Array, depthMax: number = JSON_DEPTH_MAX): unknown {
  if (bytes.byteLength === 0) return undefined;
  const text = decodeUtf8(bytes);
  if (measureDepth(text) > depthMax) {
    throw new AppError("invalid_json", `The body is nested deeper than ${depthMax} levels.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may be secret.
    throw new AppError(
      "invalid_json",
      "The body is not valid JSON. Check quotes, commas and braces.",
    );
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw new AppError("invalid_json", "The body is not valid UTF-8. Encode it as UTF-8.");
  }
}

/** Returns the nesting depth of a JSON text: how many brackets outside strings are open at once, at most. */
function measureDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === "\\") index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === "}" || character === "]") depth -= 1;
  }
  return deepest;
}
