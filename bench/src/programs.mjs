import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isPeer } from "./engines.mjs";
import { shuffled } from "./statistics.mjs";

/** Runs a program of `tasks/` in a process of its own: the numbers that it prints, or why there are none. */
function runProgram([name, ...args]) {
  const file = fileURLToPath(new URL(`../tasks/${name}.mjs`, import.meta.url));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--expose-gc", file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let wrong = "";
    child.stdout.on("data", (text) => (out += text));
    child.stderr.on("data", (text) => (wrong += text));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(JSON.parse(out));
      const reason = wrong.split("\n").find((line) => /^\w*Error\b/.test(line)) ?? `it ended with ${signal ?? code}`;
      return resolve({ error: reason.trim() });
    });
  });
}

const known = new Map();

/** As `runProgram`; what several rows read of one program, in one turn, is measured once. */
function measured(args, turn) {
  const key = JSON.stringify([args, turn]);
  if (!known.has(key)) known.set(key, runProgram(args));
  return known.get(key);
}

/** Measures a row whose contestants are programs. All runs are after one another, in a new order each round. */
export async function measurePrograms(row, { rounds, quick, peers }) {
  const programs = (quick ? row.quick : undefined) ?? row.programs;
  const names = Object.keys(programs).filter((name) => peers || !isPeer(name));
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const notes = new Set();
  for (let round = 0; round < (row.once ? 1 : rounds); round++) {
    for (const name of shuffled(names, Math.random)) {
      const { error, [row.measure]: value } = await measured(programs[name], round);
      if (error === undefined) samples[name].push(value);
      else notes.add(`${name}: ${error}`);
    }
  }
  return { measured: { samples, ours: "strideweave", peers: names.filter(isPeer) }, notes: [...notes] };
}
