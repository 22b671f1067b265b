// The repository's own rules, for oxlint.config.ts.
import { noRequestSpread } from "./request-fields.ts";

// oxlint requires a default export.
export default {
  meta: { name: "tocsin" },
  rules: { "no-request-spread": noRequestSpread },
};
