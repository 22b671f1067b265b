import type { Defect } from "../campaigns/defect.ts";

/** The defect that turns each bar red: a mistake that could be made in the product. */
export const DEFECTS = {
  earlyReturn: {
    what: "a key is looked up by its last characters first, and refused early",
    file: "keys/verify.ts",
    replace: "const hash = hashToken(form);",
    by: `const hash = hashToken(form);
    const alike = this.#context.database.db.selectFrom("api_key").select("id").where("hint", "=", form.slice(-4));
    if ((await alike.execute()).length === 0) return null;`,
    breaks: /Welch's t is/,
  },
  loggedUrl: {
    what: "the log names the address instead of the route",
    file: "http/server.ts",
    replace: 'log.debug({ method, route, status: reply.statusCode, ms }, "answered");',
    by: 'log.debug({ method, route: reply.request.url, status: reply.statusCode, ms }, "answered");',
    breaks: /\+ {3}'\{"level":20,.*"route":"\/api\/v1\/notify\//,
  },
  droppedWhere: {
    what: "a group of devices is found whoever owns it",
    file: "devices/groups/store.ts",
    replace: `.select("id")
    .where("id", "=", groupId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row !== undefined;`,
    by: `.select("id")
    .where("id", "=", groupId)
    .executeTakeFirst();
  return row !== undefined;`,
    breaks: /notifyGroup by /,
  },
  checkedOnlyOnce: {
    what: "a push address is checked when it is registered, and not when it is used",
    file: "providers/webpush/webpush.ts",
    replace: 'if (!endpoint.ok) return rejected("endpoint_not_allowed", endpoint.host);',
    by: 'if (!endpoint.ok) return this.#attempt({ message, keys: address.keys, url: new URL(address.endpoint), rule: { name: "*", admits: "any host" }, isVouchedFor: true, askedAt: now(), callerSignal, signal: callerSignal });',
    breaks: /endpoint_not_allowed/,
  },
  innerHtml: {
    what: "the console writes texts as HTML, and its policy lets it",
    file: "http/answer-file.ts",
    replace: "return reply.send(content);",
    by: `const policy = String(reply.getHeader("content-security-policy"));
    reply.header("content-security-policy", policy.replace("require-trusted-types-for 'script'; ", ""));
    if (!file.path.endsWith(".js") || file.path === "/sw.js") return reply.send(content);
    reply.removeHeader("content-encoding");
    const written = \`if (!window.isBroken) {
      window.isBroken = true;
      const found = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
      const set = function (text) {
        if (this instanceof Element && String(text).includes("<")) this.innerHTML = text;
        else found.set.call(this, text);
      };
      Object.defineProperty(Node.prototype, "textContent", { ...found, set });
    }\`;
    return reply.send(written + String(file.variants.at(-1)?.content));`,
    breaks: /an element of nobody's|AssertionError.*: "<script>trip\(\)<\/script>"/,
  },
  parserAnswers: {
    what: "what cannot be read is answered as the framework does it",
    file: "http/server.ts",
    replace: "clientErrorHandler: unreadable.handle,",
    by: "",
    breaks: /answered 4\d\d/,
  },
  usualTimeouts: {
    what: "connections are checked as seldom as Node does it by itself",
    file: "http/server.ts",
    replace: "connectionsCheckingInterval: TIMEOUT_CHECK_MS,",
    by: "",
    breaks: /connections were open after/,
  },
  storedDirt: {
    what: "texts are stored as they come",
    file: "content/readers.ts",
    replace: String.raw`return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, "");`,
    by: "return text;",
    breaks: /answered 500|are stored/,
  },
  mailsByTeam: {
    what: "mails are limited by team alone",
    file: "teams/inviting/plan.ts",
    replace: "isMailDue(pending, now) && facts.mailed < MAILS_MAX;",
    by: "isMailDue(pending, now);",
    breaks: /mails in 24 hours/,
  },
  sendingHead: {
    what: "HEAD is served as GET is",
    file: "notifications/routes.ts",
    replace: `refusePreview(request);
      parseWebhookOrder(request);`,
    by: `refusePreview(request);
      await sendAndAwait(deps, { request, reply, order: parseWebhookOrder(request) });`,
    breaks: /HEAD sent something/,
  },
  limitsApart: {
    what: "each node limits what it is asked alone",
    file: "nodes/rates/shared-rate-limit.ts",
    replace: "if (nodes.count === 1) return;",
    by: "if (nodes.count > 0) return;",
    breaks: /at \d nodes/,
  },
  openBodies: {
    what: "the app API lets fields through that its schemas do not name",
    file: "http/closed-schema.ts",
    replace: 'if (route.schema === undefined || surfaceOfPath(route.url) !== "app") return;',
    by: "if (route.url !== undefined) return;",
    breaks: /AssertionError[^\n]*: \w+: \{/,
  },
  allAtOnce: {
    what: "Node begins all requests that come in one read",
    file: "http/server.ts",
    replace: "serialiseRequests(server.server);",
    by: "",
    breaks: /the server is gone|others are not answered|MB were held/,
  },
  placesByHost: {
    what: "every host has places of its own, whatever admits it and whether it ever answered",
    file: "providers/webpush/host-limits.ts",
    replace: 'return rule.admits !== "one host" && !this.#deps.hasAnswered(host);',
    by: "return rule.name === host && !this.#deps.hasAnswered(host);",
    breaks: /others undelivered|ms beside/,
  },
  guessedByNetwork: {
    what: "wrong passwords are limited by network alone",
    file: "accounts/guesses.ts",
    replace:
      "const byAccount = () => countFailures({ failures: guesses.byAccount, key: account }, attempt);",
    by: "const byAccount = attempt;",
    breaks: /guesses were compared in an hour/,
  },
  uncheckedType: {
    what: "an optional field is taken for a text, whatever it is",
    file: "content/readers.ts",
    replace: `if (typeof value !== "string") throw invalidField(name, \`\${name} must be a string.\`);
  return value;`,
    by: "return value as string;",
    breaks: /not_a_server_error POST \/api\/v1\/notify/,
  },
} as const satisfies Readonly<Record<string, Defect>>;
