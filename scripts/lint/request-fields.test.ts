import test from "node:test";
import { RuleTester } from "oxlint/plugins-dev";
import { noRequestSpread } from "./request-fields.ts";

RuleTester.describe = (_name, run) => run();
RuleTester.it = (name, run) => {
  void test(`no-request-spread: ${name}`, run);
};

new RuleTester({ languageOptions: { parserOptions: { lang: "ts" } } }).run(
  "no-request-spread",
  noRequestSpread,
  {
    valid: [
      "act({ accountId, name: request.body.name });",
      "const { name, deviceIds = null } = request.body; act({ accountId, name, deviceIds });",
      "act({ ...input, accountId });",
      "call(...request.body);",
      "const { name, ...change } = input; act({ ...change });",
      "function answer({ body }: Mail) { return send([...body]); }",
    ],
    invalid: [
      "act({ accountId, ...request.body });",
      "act({ ...request.query, accountId });",
      "act({ teamId, ...req.params });",
      "act({ ...request.headers });",
      "act({ ...(request.body ?? {}) });",
      "act({ ...(isNew ? request.body : {}) });",
      "act({ ...(request.body as Change) });",
      "act({ ...request?.body });",
      "act({ ...request.body.choices });",
      "act({ ...request.body! });",
      "const given = request.body; act({ ...given });",
      "const { body } = request; act({ ...body });",
      "const { body: given } = request; act({ ...given });",
      "server.post(path, async ({ body }) => act({ accountId, ...body }));",
      "const { name, ...rest } = request.body; act({ rest });",
      "Object.assign(change, request.body);",
      "const { query } = request; Object.assign({}, query);",
    ].map((code) => ({ code, errors: 1 })),
  },
);
