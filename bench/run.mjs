// `pnpm bench`: every row against its peers and against the machine; `pnpm bench --help` says what there is.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ROWS } from "./rows/index.mjs";
import { chart } from "./src/chart.mjs";
import { Contestant } from "./src/contestant.mjs";
import { engineOf } from "./src/engines.mjs";
import { installPeers } from "./src/install.mjs";
import { load, machine } from "./src/machine.mjs";
import { contestantsOf, measure } from "./src/measure.mjs";
import { chosen, HELP, readOptions } from "./src/options.mjs";
import { measurePrograms } from "./src/programs.mjs";
import { misses, table } from "./src/table.mjs";
import { judge, worst } from "./src/verdict.mjs";

const OUT = fileURLToPath(new URL("out/", import.meta.url));
const BUILT = new URL("node_modules/@sw/kernels-wasm/dist/index.js", import.meta.url);

/** Every engine in its process, from its first row to the end. */
class Processes {
  #started = new Map();

  of(engine) {
    if (!this.#started.has(engine)) this.#started.set(engine, this.#start(engine));
    return this.#started.get(engine);
  }

  async #start(engine) {
    const contestant = new Contestant(engine);
    const { error, version } = await contestant.ask("start");
    if (error !== undefined) contestant.stop();
    return error === undefined ? Object.assign(contestant, { version }) : { error };
  }

  async versions() {
    const all = await Promise.all([...this.#started].map(async ([name, started]) => [name, (await started).version]));
    return Object.fromEntries(all.filter(([, version]) => version !== undefined));
  }

  async stop() {
    for (const started of this.#started.values()) (await started).stop?.();
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

async function main(options) {
  const rows = chosen(ROWS, options.only, options.soak);
  if (options.list)
    return process.stdout.write(`${rows.map(({ id, title }) => `${id.padEnd(22)}${title}`).join("\n")}\n`);
  if (!existsSync(BUILT)) fail("bench: the packages are not built: got no dist, expected one. Run pnpm build first.");
  const without = options.peers ? installPeers() : "no peers were asked for";
  if (without !== undefined) process.stdout.write(`· ${without}\n`);
  const given = { ...options, peers: without === undefined };

  const began = Date.now();
  const loadBefore = load();
  const processes = new Processes();
  // All of them are alive from the beginning: a process that starts disturbs the others.
  const measuredRows = rows.filter(({ runs }) => runs !== undefined);
  for (const engine of new Set(measuredRows.flatMap((row) => contestantsOf(row, given).map(engineOf))))
    await processes.of(engine);

  const results = [];
  for (const row of rows) {
    const { measured, notes } =
      row.runs === undefined
        ? await measurePrograms(row, { ...given, rounds: options.programRounds })
        : await measure(row, contestantsOf(row, given), processes, given);
    const judged = row.reach.map((reach) => judge(reach, measured));
    results.push({ row, measured, judged, notes });
    process.stdout.write(`· ${row.id}: ${worst(judged.map(({ verdict }) => verdict))}\n`);
  }
  const versions = await processes.versions();
  await processes.stop();

  const missed = misses(results);
  const about = {
    date: new Date(began).toISOString(),
    seconds: Math.round((Date.now() - began) / 1000),
    machine: machine(),
    loadBefore,
    loadAfter: load(),
    options: { rounds: options.rounds, batch: options.batch, warm: options.warm, quick: options.quick },
    versions,
    ...(without === undefined ? {} : { without }),
  };
  const { cpu, cores, node, v8 } = about.machine;
  const caption = `${cpu}, ${cores} cores, Node ${node} (V8 ${v8}), ${options.rounds} rounds, load ${loadBefore} to ${about.loadAfter}`;
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}results.json`, `${JSON.stringify({ about, rows: results.map(plain), missed }, null, 1)}\n`);
  writeFileSync(`${OUT}results.svg`, chart(results, caption));

  process.stdout.write(`\n${table(results)}\n\n${caption}; ${about.seconds} s\n`);
  process.stdout.write("wrote bench/out/results.json and bench/out/results.svg\n");
  process.stdout.write(
    missed.length === 0 ? "misses: none\n" : `misses:\n${missed.map((line) => `  ${line}\n`).join("")}`,
  );
  process.exitCode = options.strict && missed.length > 0 ? 1 : 0;
}

/** A result without its functions. */
function plain({ row: { id, title, unit, work }, measured, judged, notes }) {
  return { id, title, unit, work, ...measured, judged, notes };
}

let options;
try {
  options = readOptions(process.argv.slice(2));
  if (!options.help) chosen(ROWS, options.only, options.soak);
} catch (error) {
  fail(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
}
if (options.help) process.stdout.write(`${HELP}\n`);
else await main(options);
