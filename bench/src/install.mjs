import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../peers/", import.meta.url));

/**
 * Installs the peers where they are not yet, in the versions of their own lock file.
 *
 * @returns why there are none, or nothing.
 */
export function installPeers() {
  // npm writes it last.
  if (existsSync(`${FOLDER}node_modules/.package-lock.json`)) return undefined;
  process.stdout.write("· installing the peers into bench/peers, once\n");
  const args = ["ci", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, stderr, error } = spawnSync("npm", args, { encoding: "utf8", shell: process.platform === "win32" });
  if (status === 0) return undefined;
  const reason = error?.message ?? stderr.split("\n").find((line) => /error/i.test(line)) ?? `npm ended with ${status}`;
  return `no peers: they could not be installed (${reason.trim()})`;
}
