import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parseDocument } from "yaml";
import { readConfig } from "#config/config.ts";
import { ROOT } from "../../../scripts/files.ts";

interface Service {
  readonly image: string;
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const FILES = ["compose.yaml", "compose.one.yaml"];
/** `DRAIN_MS` of main.ts plus `GRACE_MS` of http/close.ts, in seconds. */
const STOP_MIN_S = 13;

/** Returns a compose file with its variables replaced, like `docker compose config` but without Docker. */
function readCompose(file: string, variables: Readonly<Record<string, string>>): Compose {
  const document = parseDocument(readFileSync(join(ROOT, file), "utf8"), { merge: true });
  assert.deepEqual(document.errors, []);
  const text = JSON.stringify(document.toJS()).replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, sign: string, rest: string) => {
      const value = variables[name] ?? "";
      if (value === "" && sign === "?") throw new Error(`${file} needs ${name}: ${rest}`);
      return value === "" && sign === "-" ? rest : value;
    },
  );
  return JSON.parse(text);
}

const VARIABLES = { TOCSIN_BASE_URL: "https://push.example.org", POSTGRES_PASSWORD: "a-long-text" };

for (const file of FILES) {
  const { services, volumes } = readCompose(file, VARIABLES);

  test(`the services of ${file} restart, have versioned images, and refer only to services, volumes and files that exist`, () => {
    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.restart, "unless-stopped", name);
      assert.match(service.image, /^(tocsin|[a-z]+:\d+(\.\d+)*)$/, name);
      const dependencies = service.depends_on ?? [];
      for (const dependency of Array.isArray(dependencies)
        ? dependencies
        : Object.keys(dependencies)) {
        assert.ok(dependency in services, `${name} waits for ${dependency}`);
      }
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) assert.ok(existsSync(join(ROOT, source)), source);
        else assert.ok(source in volumes, source);
      }
      for (const port of service.ports ?? []) {
        assert.match(port, /^(127\.0\.0\.1:)?\d+:\d+(\/udp)?$/, name);
      }
    }
  });

  test(`the servers of ${file} have valid settings and enough time to stop`, () => {
    const servers = Object.values(services).filter(({ image }) => image === "tocsin");
    assert.ok(servers.length > 0);
    for (const { environment = {}, stop_grace_period: grace = "" } of servers) {
      const config = readConfig(environment);
      assert.deepEqual([config.port, config.host, config.trustProxy], [8080, "0.0.0.0", true]);
      assert.ok(Number.parseInt(grace, 10) > STOP_MIN_S, grace);
    }
  });

  test(`${file} does not start without the values that its operator must set`, () => {
    assert.throws(() => readCompose(file, {}), /TOCSIN_BASE_URL|POSTGRES_PASSWORD/);
  });
}

test("the single server writes only to its data volume", () => {
  const { services } = readCompose("compose.one.yaml", VARIABLES);
  const { server } = services;
  assert.deepEqual([server?.read_only, server?.volumes], [true, ["data:/data"]]);
  assert.equal(readConfig(server?.environment ?? {}).dataDir, "/data");
});

test("Traefik logs neither paths nor headers, and forwards to the server's port", () => {
  const read = (file: string) => {
    const document = parseDocument(readFileSync(join(ROOT, "deploy/traefik", file), "utf8"));
    assert.deepEqual(document.errors, []);
    return document.toJS();
  };
  const { accessLog, entryPoints, providers } = read("traefik.yaml");
  assert.deepEqual(
    [accessLog.fields.defaultMode, accessLog.fields.headers.defaultMode],
    ["drop", "drop"],
  );
  const loggedFields = Object.keys(accessLog.fields.names);
  assert.deepEqual(
    loggedFields.filter((name) => /path|line|url|referer/i.test(name)),
    [],
  );
  assert.equal(providers.file.filename, "/etc/traefik/tocsin.yaml");
  const { routers, middlewares, services } = read("tocsin.yaml").http;
  for (const router of Object.values<Record<string, string[] & string>>(routers)) {
    for (const name of router["entryPoints"] ?? []) assert.ok(name in entryPoints, name);
    for (const name of router["middlewares"] ?? []) assert.ok(name in middlewares, name);
    const service = router["service"] ?? "";
    assert.ok(service in services || service === "noop@internal", service);
  }
  const [server] = services.tocsin.loadBalancer.servers;
  assert.equal(server.url, `http://127.0.0.1:${readConfig({}).port}`);
});
