import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "../support/scope.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const BLOCK = Buffer.alloc(64 * 1_024, "x");

/** A separate small disk that a test can fill. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk to the last byte. */
  fill(): void;
  /** Frees the space that `fill` used. */
  free(): void;
}

/** Returns why no disk can be mounted here; null if one can. */
export function findSmallDiskObstacle(): string | null {
  return process.getuid?.() === 0 ? null : "only root may mount a small tmpfs.";
}

/** Mounts an in-memory disk, and unmounts it at the end of the scope. */
export async function mountSmallDisk(scope: Scope, megabytes: number): Promise<SmallDisk> {
  const folder = await createTemporaryFolder(scope);
  runProgram("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0711`, "tmpfs", folder]);
  scope.after(() => runProgram("umount", ["--lazy", folder]));
  const fillerPath = join(folder, "ballast");
  return {
    folder,
    fill() {
      const file = openSync(fillerPath, "a");
      try {
        // Halves the size whenever the disk has no space for it, until not even one byte fits.
        for (let size = BLOCK.length; size > 0;) {
          try {
            writeSync(file, BLOCK, 0, size);
          } catch (error) {
            if (!(error instanceof Error && "code" in error && error.code === "ENOSPC"))
              throw error;
            size = Math.floor(size / 2);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(fillerPath),
  };
}

function runProgram(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
}
