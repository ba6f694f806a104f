// @ts-check
import { parseArgs } from "node:util";

export const HELP = `pnpm bench [options]

Measures every row of the speed table against the pinned peers: a process each, all alive, in turns.

  --quick           5 rounds of 8 ms, and of the peers the best one of each row: under two minutes
  --only <row,row>  these rows; a name that ends with * is the beginning of some
  --no-peers        ours and the limits of the machine alone
  --soak            the soak row too: 10⁶ operations of many kinds
  --strict          end with 1 where a reach is missed
  --list            print the rows and end
  --help            print this and end

Writes bench/out/results.json and bench/out/results.svg.`;

/** How long a batch and the warm-up before it take, in milliseconds, and how many rounds there are. */
const FULL = { rounds: 11, batch: 40, warm: 250, programRounds: 5 };
const QUICK = { rounds: 5, batch: 8, warm: 120, programRounds: 3 };

/**
 * Reads a command line.
 *
 * @param {readonly string[]} args
 * @throws TypeError for what is no option.
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      "no-peers": { type: "boolean", default: false },
      soak: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { quick = false, only, soak = false, strict = false, list = false, help = false } = values;
  const names = only?.split(",").filter((name) => name !== "");
  return { ...(quick ? QUICK : FULL), quick, only: names, peers: !values["no-peers"], soak, strict, list, help };
}

/**
 * The rows that were asked for. A row that is only measured when asked for is left out unless it is named.
 *
 * @template {{ readonly id: string, readonly asked?: boolean }} R
 * @param {readonly R[]} rows
 * @param {readonly string[] | undefined} only
 * @param {boolean} soak
 * @throws TypeError for a name that no row has.
 */
export function chosen(rows, only, soak) {
  if (only === undefined) return rows.filter(({ asked = false }) => soak || !asked);
  const fits = (/** @type {string} */ name, /** @type {R} */ { id }) =>
    name.endsWith("*") ? id.startsWith(name.slice(0, -1)) : id === name;
  const unknown = only.filter((name) => !rows.some((row) => fits(name, row)));
  if (unknown.length > 0) {
    const all = rows.map(({ id }) => id).join(", ");
    throw new TypeError(`bench: no such row: got ${unknown.join(", ")}, expected some of ${all}.`);
  }
  return rows.filter((row) => only.some((name) => fits(name, row)));
}
