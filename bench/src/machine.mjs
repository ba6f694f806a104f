import { cpus, loadavg, platform, totalmem } from "node:os";

/** What the figures were measured on. */
export function machine() {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memory: Math.round(totalmem() / 2 ** 30),
    platform: platform(),
    node: process.version,
    v8: process.versions.v8,
  };
}

/** How many processes wanted a core in the last minute, ours among them. */
export function load() {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
