// One contestant in a process of its own: `run.mjs` starts it and tells it what to do, a message at a time.
import process from "node:process";
import { rowsById } from "./rows/index.mjs";
import { deviation } from "./src/check.mjs";
import { batch, calibrate } from "./src/clock.mjs";
import { ENGINES } from "./src/engines.mjs";

const [, , name] = process.argv;
const TOLERANCE = 2e-5;
const { module, options } = ENGINES[name];
const calls = new Map();
let engine;

const commands = {
  async start() {
    const { start } = await import(`./engines/${module}.mjs`);
    engine = await start(options);
    return { version: engine.version };
  },
  /** Makes a row ready: checks what it computes before anything of it is timed. */
  async prepare({ row: id, contestant, warm, length, quick }) {
    const row = rowsById().get(id);
    const task = row.runs[contestant];
    const inputs = name === "machine" ? [] : row.inputs();
    const prepare = task.steps && engine.prepareSteps ? "prepareSteps" : "prepare";
    const call = await engine[prepare](task, inputs, { afterKit: row.afterKit ?? false, quick });
    const { reference = row.reference } = task;
    if (call.values !== undefined) {
      const parts = [];
      for (let i = 0; i < (row.calls ?? 1); i++) parts.push(await call.values());
      const values = parts.length === 1 ? parts[0] : parts.flatMap((part) => [...part]);
      const error = deviation(values, reference(...inputs));
      const most = (contestant.startsWith("strideweave") ? row.tolerance : undefined) ?? TOLERANCE;
      if (!(error <= most)) throw new Error(`wrong values: got a deviation of ${error}, expected at most ${most}`);
    }
    const count = await calibrate(call, warm, length);
    calls.set(contestant, { call, count });
    return { work: call.work };
  },
  async time({ contestant }) {
    const { call, count } = calls.get(contestant);
    return { nanoseconds: await batch(call, count) };
  },
  async end({ contestant }) {
    await calls.get(contestant)?.call.end();
    calls.delete(contestant);
    globalThis.gc?.();
    return {};
  },
};

process.on("message", async ({ command, ...data }) => {
  try {
    process.send(await commands[command](data));
  } catch (error) {
    process.send({ error: error instanceof Error ? error.message : String(error) });
  }
});
process.on("disconnect", () => process.exit());
