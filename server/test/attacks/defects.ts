import type { Defect } from "../campaigns/defect.ts";

/** The defect that makes each bar fail: a plausible mistake in the product. */
export const DEFECTS = {
  earlyReturn: {
    mistake: "a key is looked up by its last characters first, and refused early",
    file: "keys/verify.ts",
    replace: "const hash = hashToken(normalisedKey);",
    by: `const hash = hashToken(normalisedKey);
    const alike = this.#context.database.db.selectFrom("api_key").select("id").where("hint", "=", normalisedKey.slice(-4));
    if ((await alike.execute()).length === 0) return null;`,
    breaks: /Welch's t is/,
  },
  loggedUrl: {
    mistake: "the log contains the URL instead of the route",
    file: "http/server.ts",
    replace: 'log.debug({ reqId, method, route, status: reply.statusCode, ms }, "answered");',
    by: 'log.debug({ reqId, method, route: reply.request.url, status: reply.statusCode, ms }, "answered");',
    breaks: /\+ {3}'\{"level":20,.*"route":"\/api\/v1\/notify\//,
  },
  droppedWhere: {
    mistake: "a device group is found without a check of its owner",
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
    mistake: "a push endpoint is checked at registration, but not before a send",
    file: "providers/webpush/webpush.ts",
    replace: 'return createRejection({ code: "endpoint_not_allowed", detail: endpoint.host });',
    by: 'return this.#attempt({ message, keys: address.keys, url: new URL(address.endpoint), rule: { name: "*", admits: "any host" }, isListedHost: true, requestedAt: now(), callerSignal, signal: callerSignal });',
    breaks: /endpoint_not_allowed/,
  },
  innerHtml: {
    mistake: "the console writes texts as HTML, and its policy allows that",
    file: "http/send-file.ts",
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
    breaks: /an unexpected element|AssertionError.*: "<script>trip\(\)<\/script>"/,
  },
  parserAnswers: {
    mistake: "an unreadable request gets the framework's response",
    file: "http/server.ts",
    replace: "clientErrorHandler: unreadableRequests.handleClientError,",
    by: "",
    breaks: /answered 4\d\d/,
  },
  defaultTimeouts: {
    mistake: "connections are checked only as often as Node does by default",
    file: "http/server.ts",
    replace: "connectionsCheckingInterval: TIMEOUT_CHECK_MS,",
    by: "",
    breaks: /connections were open after/,
  },
  storedRawText: {
    mistake: "texts are stored without sanitising",
    file: "content/readers.ts",
    replace: String.raw`return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, "");`,
    by: "return text;",
    breaks: /answered 500|are stored/,
  },
  mailsByTeam: {
    mistake: "emails are limited only per team",
    file: "teams/inviting/plan.ts",
    replace: "isMailDue(pending, now) && facts.mailedCount < MAILS_MAX;",
    by: "isMailDue(pending, now);",
    breaks: /mails in 24 hours/,
  },
  sendingHead: {
    mistake: "HEAD is handled like GET",
    file: "notifications/routes.ts",
    replace: "      setIgnoredFieldsHeader(reply, parseWebhookSend(request));",
    by: "      await sendAndAwait(deps, { request, reply, parameters: parseWebhookSend(request) });",
    breaks: /HEAD sent something/,
  },
  limitsPerNode: {
    mistake: "each node applies the whole limit by itself",
    file: "nodes/rates/shared-rate-limit.ts",
    replace: "if (nodes.count === 1) return;",
    by: "if (nodes.count > 0) return;",
    breaks: /at \d nodes/,
  },
  openBodies: {
    mistake: "the app API accepts fields that its schemas do not define",
    file: "http/closed-schema.ts",
    replace: 'if (route.schema === undefined || getApiNameOfPath(route.url) !== "app") return;',
    by: "if (route.url !== undefined) return;",
    breaks: /AssertionError[^\n]*: \w+: \{/,
  },
  parallelRequests: {
    mistake: "Node starts all pipelined requests of one read concurrently",
    file: "http/server.ts",
    replace: "  serialiseRequests(server);",
    by: "",
    breaks: /the server is gone|other requests got no response|MB were held/,
  },
  slotsByHost: {
    mistake: "every host has its own connection slots, even if it has never responded",
    file: "providers/webpush/host-limits.ts",
    replace: 'return rule.admits !== "one host" && !this.#deps.hasRespondedRecently(host);',
    by: "return rule.name === host && !this.#deps.hasRespondedRecently(host);",
    breaks: /other sends undelivered|ms during/,
  },
  guessedByNetwork: {
    mistake: "wrong passwords are limited only per network",
    file: "accounts/guesses.ts",
    replace:
      "const byAccount = () => countFailures({ limit: limits.byAccount, key: accountKey }, attempt);",
    by: "const byAccount = attempt;",
    breaks: /guesses were compared in an hour/,
  },
  uncheckedType: {
    mistake: "an optional field is treated as a string without a check",
    file: "content/readers.ts",
    replace: `if (typeof value !== "string") throw invalidField(name, \`\${name} must be a string.\`);
  return value;`,
    by: "return value as string;",
    breaks: /not_a_server_error POST \/api\/v1\/notify/,
  },
  keyOfAnyDevice: {
    mistake: "the key of a device is found without a check that its owner still has the device",
    file: "devices/action-keys/store.ts",
    replace: `.where("device.id", "=", deviceId)
    .where("retired_at", "is", null)
    .where("suspended_at", "is", null)`,
    by: '.where("device.id", "=", deviceId)',
    breaks: /marked by the key of a suspended person's device/,
  },
} as const satisfies Readonly<Record<string, Defect>>;
