import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import {
  listContextFiles,
  readDockerfile,
  parseStages,
  parseImageConfiguration,
  type BuildStage,
} from "./dockerfile.ts";
import {
  readChildPid,
  quoteForShell,
  runIsolatedScript,
  type IsolatedScript,
} from "./isolated-script.ts";
import { skipUnlessInstalled } from "./program.ts";
import type { Scope } from "./scope.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** The skip reason of tests that run the Dockerfile's steps, which need their own mount namespace; false if they can run. */
export const NAMESPACE_SKIP_REASON =
  process.getuid?.() === 0
    ? skipUnlessInstalled("unshare", "util-linux")
    : "needs root, for its own mount namespace";

/** A container without an engine: the last stage of the Dockerfile on this machine's Debian. */
export interface Container extends IsolatedScript {
  /** Runs another command in the container as the image's user. Resolves with the exit code. */
  run(command: readonly string[]): Promise<number | null>;
  /** Sends a signal to the first process, and resolves with its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Runs the steps of the Dockerfile, each stage in an overlay over this machine's files. Then starts the entry point as the first
 * process, with a read-only file system, no capabilities and a volume for /data. It ends with the scope.
 */
export async function startContainer(
  scope: Scope,
  environment: Readonly<Record<string, string>>,
): Promise<Container> {
  const folder = await createTemporaryFolder(scope);
  await copyContext(join(folder, "context"));
  const script = join(folder, "build.sh");
  const { entrypoint, command } = parseImageConfiguration(readDockerfile());
  const startCommand = [...entrypoint, ...command];
  await writeFile(script, createBuildScript(folder, wrapForImageUser(environment, startCommand)));
  const isolatedScript = runIsolatedScript(scope, script);
  return {
    ...isolatedScript,
    async run(args) {
      const enterOptions = ["--target", String(isolatedScript.pid), "--mount", "sh", "-c"];
      const commandLine = `exec chroot ${folder}/layers/last/root ${quoteForShell(wrapForImageUser(environment, args))}`;
      const child = spawn("nsenter", [...enterOptions, commandLine], { stdio: "ignore" });
      const [code] = (await once(child, "exit")) as [number | null]; // Node's signature of the event.
      return code;
    },
    async stop(signal) {
      process.kill(await readChildPid(isolatedScript.pid), signal);
      return isolatedScript.ended;
    },
  };
}

async function copyContext(folder: string): Promise<void> {
  for (const file of listContextFiles()) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(ROOT, file), join(folder, file));
  }
}

/** Returns the command line that runs a command as the image's user, with only its environment. */
function wrapForImageUser(
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
): readonly string[] {
  const steps = parseStages(readDockerfile()).flatMap((stage) => stage.steps);
  const imageVariables = Object.fromEntries(
    steps.flatMap((step) => (step.kind === "env" ? [[step.name, step.value]] : [])),
  );
  const variablesByName = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: "/home/node",
    ...imageVariables,
    ...environment,
  };
  const user = steps.findLast((step) => step.kind === "user")?.name ?? "root";
  const rightsOptions = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
  const userOptions = [`--reuid=${user}`, `--regid=${user}`, "--init-groups"];
  const workdir = steps.findLast((step) => step.kind === "workdir")?.path ?? "/";
  const variables = Object.entries(variablesByName).map(([name, value]) => `${name}=${value}`);
  return [
    "setpriv",
    ...userOptions,
    ...rightsOptions,
    "env",
    "-i",
    "-C",
    workdir,
    ...variables,
    ...command,
  ];
}

function createBuildScript(folder: string, start: readonly string[]): string {
  const stages = parseStages(readDockerfile());
  const lastRoot = `${folder}/layers/last/root`;
  return `
layers=${folder}/layers
mkdir -p $layers
mount -t tmpfs tmpfs $layers
# layer NAME LOWER: creates an overlay in which a build step runs.
layer() {
  mkdir -p $layers/$1/upper $layers/$1/work $layers/$1/root
  mount -t overlay overlay -o lowerdir=$2,upperdir=$layers/$1/upper,workdir=$layers/$1/work $layers/$1/root
  mount --rbind /dev $layers/$1/root/dev
  mount --bind /proc $layers/$1/root/proc
  mount -t tmpfs tmpfs $layers/$1/root/tmp
}
# The contents of the Node image: its program, npm and a user.
layer image /
rm -rf $layers/image/root/app $layers/image/root/data
cp --remove-destination ${quoteForShell([process.execPath])} $layers/image/root/usr/local/bin/node
chroot $layers/image/root sh -c 'id node >/dev/null 2>&1 || useradd --create-home node'
${stages.map((stage, index) => createStageScript(stage, { isLast: index === stages.length - 1, folder })).join("\n")}
mkdir $layers/volume
cp -a ${lastRoot}/data/. $layers/volume
chown --reference=${lastRoot}/data $layers/volume
chmod --reference=${lastRoot}/data $layers/volume
mount --bind $layers/volume ${lastRoot}/data
mount -o remount,ro ${lastRoot}
exec unshare --pid --fork --kill-child=KILL --mount-proc=${lastRoot}/proc chroot ${lastRoot} ${quoteForShell(start)}
`;
}

function createStageScript(
  { name, from, steps }: BuildStage,
  { isLast, folder }: { readonly isLast: boolean; readonly folder: string },
): string {
  const layer = isLast ? "last" : name;
  const isImage = from.includes(":");
  const lower = isImage ? "$layers/image/upper:/" : `$layers/${from}/upper:$layers/image/upper:/`;
  const root = `$layers/${layer}/root`;
  const variables: string[] = [];
  const lines = steps.map((step): string => {
    switch (step.kind) {
      case "env":
        variables.push(`${step.name}=${step.value}`);
        return "";
      case "workdir":
        return `mkdir -p ${root}${step.path}`;
      case "user":
        return "";
      case "run":
        // The packages of the lock file are already installed on this machine.
        if (name === "console" && step.command === "npm ci") {
          const modules = `$layers/${layer}/modules`;
          return `mkdir -p ${root}/app/node_modules ${modules}/upper ${modules}/work
mount -t overlay overlay -o lowerdir=${ROOT}/node_modules,upperdir=${modules}/upper,workdir=${modules}/work ${root}/app/node_modules`;
        }
        return `chroot ${root} env -C /app npm_config_cache=/tmp/npm ${quoteForShell(variables)} sh -ec ${quoteForShell([step.command])}`;
      case "copy":
        return step.sources
          .map((source) => createCopyScript(source, step, { root, folder }))
          .join("\n");
    }
  });
  return [`layer ${layer} ${lower}`, ...lines].filter((line) => line !== "").join("\n");
}

/**
 * Returns a script that copies like COPY: a folder's content into the target folder, and a file into a target that ends
 * in a slash or to any other target.
 */
function createCopyScript(
  source: string,
  { from, to }: { readonly from: string | null; readonly to: string },
  { root, folder }: { readonly root: string; readonly folder: string },
): string {
  const sourcePath =
    from === null ? `${folder}/context/${source}` : `$layers/${from}/root${source}`;
  const target = `${root}/app/${to}`;
  return `if [ -d ${sourcePath} ]; then mkdir -p ${target}; cp -R ${sourcePath}/. ${target}/
else mkdir -p ${to.endsWith("/") ? target : dirname(target)}; cp ${sourcePath} ${target}; fi`;
}
