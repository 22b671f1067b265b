import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import { contextFiles, dockerfile, stagesOf, startOf, type Stage } from "./image.ts";
import { childOf, quoted, runEnclosed, type Enclosed } from "./own-files.ts";
import { missing } from "./program.ts";
import type { Scope } from "./scope.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Why the steps of the Dockerfile cannot be run here, or false: they change the files of a system of their own. */
export const NO_NAMESPACES =
  process.getuid?.() === 0
    ? missing("unshare", "util-linux")
    : "needs root, to have files of its own";

/** A container without an engine: the last stage of the Dockerfile, on this machine's own Debian. */
export interface Container extends Enclosed {
  /** Runs a command of the image beside it, as its user; resolves with its exit code. */
  run(command: readonly string[]): Promise<number | null>;
  /** Sends a signal to its first process, and resolves with its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Runs the steps of the Dockerfile as they are written, each stage in a layer over the files of this machine, then starts its entry
 * point as the first process, with a read-only file system, no rights, and a volume for /data. It ends with the scope.
 */
export async function startContainer(
  scope: Scope,
  environment: Readonly<Record<string, string>>,
): Promise<Container> {
  const folder = await temporaryFolder(scope);
  await makeContext(join(folder, "context"));
  const script = join(folder, "build.sh");
  const { entrypoint, command } = startOf(dockerfile());
  const started = [...entrypoint, ...command];
  await writeFile(script, scriptOf(folder, inside(environment, started)));
  const enclosed = runEnclosed(scope, script);
  return {
    ...enclosed,
    async run(words) {
      const enter = ["--target", String(enclosed.pid), "--mount", "sh", "-c"];
      const line = `exec chroot ${folder}/layers/last/root ${quoted(inside(environment, words))}`;
      const beside = spawn("nsenter", [...enter, line], { stdio: "ignore" });
      const [code] = (await once(beside, "exit")) as [number | null]; // Node's signature of the event.
      return code;
    },
    async stop(signal) {
      process.kill(await childOf(enclosed.pid), signal);
      return enclosed.ended;
    },
  };
}

async function makeContext(folder: string): Promise<void> {
  for (const file of contextFiles()) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(ROOT, file), join(folder, file));
  }
}

/** Returns the command line that runs a command as the image's user, with its environment alone. */
function inside(
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
): readonly string[] {
  const steps = stagesOf(dockerfile()).flatMap((stage) => stage.steps);
  const own = Object.fromEntries(
    steps.flatMap((step) => (step.kind === "env" ? [[step.name, step.value]] : [])),
  );
  const all = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/home/node", ...own, ...environment };
  const user = steps.findLast((step) => step.kind === "user")?.name ?? "root";
  const rights = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
  const who = [`--reuid=${user}`, `--regid=${user}`, "--init-groups"];
  const workdir = steps.findLast((step) => step.kind === "workdir")?.path ?? "/";
  const variables = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  return ["setpriv", ...who, ...rights, "env", "-i", "-C", workdir, ...variables, ...command];
}

function scriptOf(folder: string, start: readonly string[]): string {
  const stages = stagesOf(dockerfile());
  const last = `${folder}/layers/last/root`;
  return `
layers=${folder}/layers
mkdir -p $layers
mount -t tmpfs tmpfs $layers
# layer NAME LOWER: files over others, in which a step of the build works.
layer() {
  mkdir -p $layers/$1/upper $layers/$1/work $layers/$1/root
  mount -t overlay overlay -o lowerdir=$2,upperdir=$layers/$1/upper,workdir=$layers/$1/work $layers/$1/root
  mount --rbind /dev $layers/$1/root/dev
  mount --bind /proc $layers/$1/root/proc
  mount -t tmpfs tmpfs $layers/$1/root/tmp
}
# What the image of Node has: its program, npm, and a user.
layer image /
rm -rf $layers/image/root/app $layers/image/root/data
cp --remove-destination ${quoted([process.execPath])} $layers/image/root/usr/local/bin/node
chroot $layers/image/root sh -c 'id node >/dev/null 2>&1 || useradd --create-home node'
${stages.map((stage, index) => stageScript(stage, { isLast: index === stages.length - 1, folder })).join("\n")}
mkdir $layers/volume
cp -a ${last}/data/. $layers/volume
chown --reference=${last}/data $layers/volume
chmod --reference=${last}/data $layers/volume
mount --bind $layers/volume ${last}/data
mount -o remount,ro ${last}
exec unshare --pid --fork --kill-child=KILL --mount-proc=${last}/proc chroot ${last} ${quoted(start)}
`;
}

function stageScript(
  { name, from, steps }: Stage,
  { isLast, folder }: { readonly isLast: boolean; readonly folder: string },
): string {
  const own = isLast ? "last" : name;
  const isImage = from.includes(":");
  const lower = isImage ? "$layers/image/upper:/" : `$layers/${from}/upper:$layers/image/upper:/`;
  const root = `$layers/${own}/root`;
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
        // All that is in the lock file is installed here already, as it is.
        if (name === "console" && step.command === "npm ci") {
          const modules = `$layers/${own}/modules`;
          return `mkdir -p ${root}/app/node_modules ${modules}/upper ${modules}/work
mount -t overlay overlay -o lowerdir=${ROOT}/node_modules,upperdir=${modules}/upper,workdir=${modules}/work ${root}/app/node_modules`;
        }
        return `chroot ${root} env -C /app npm_config_cache=/tmp/npm ${quoted(variables)} sh -ec ${quoted([step.command])}`;
      case "copy":
        return step.sources.map((source) => copyScript(source, step, { root, folder })).join("\n");
    }
  });
  return [`layer ${own} ${lower}`, ...lines].filter((line) => line !== "").join("\n");
}

/** A folder's content goes into a folder; a file into the folder whose name ends in a slash. */
function copyScript(
  source: string,
  { from, to }: { readonly from: string | null; readonly to: string },
  { root, folder }: { readonly root: string; readonly folder: string },
): string {
  const given = from === null ? `${folder}/context/${source}` : `$layers/${from}/root${source}`;
  const target = `${root}/app/${to}`;
  return `if [ -d ${given} ]; then mkdir -p ${target}; cp -R ${given}/. ${target}/
else mkdir -p ${to.endsWith("/") ? target : dirname(target)}; cp ${given} ${target}; fi`;
}
