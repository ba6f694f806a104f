import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as algebra from "../src/algebra.js";
import * as command from "../src/command.js";
import * as main from "../src/index.js";
import * as maps from "../src/maps.js";
import * as pictures from "../src/pictures.js";
import * as names from "../src/recognise.js";
import * as views from "../src/views.js";
import * as walk from "../src/walk.js";
import { enumerate, layouts } from "./support.js";

type Callable = (...args: unknown[]) => unknown;

const ENTRIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "@sw/layout": main,
  "@sw/layout/algebra": algebra,
  "@sw/layout/command": command,
  "@sw/layout/maps": maps,
  "@sw/layout/pictures": pictures,
  "@sw/layout/recognise": names,
  "@sw/layout/views": views,
  "@sw/layout/walk": walk,
};

/** Every function and class that an entry exports; what is exported later is fuzzed too. */
const EXPORTS: readonly (readonly [string, Callable])[] = Object.entries(ENTRIES).flatMap(([entry, names]) =>
  Object.entries(names)
    .filter((pair): pair is [string, Callable] => typeof pair[1] === "function" && pair[1] !== main.LayoutError)
    .map(([name, fn]) => [`${entry} ${name}`, fn] as const),
);

function nest(levels: number): unknown {
  let tree: unknown = 2;
  for (let i = 0; i < levels; i++) tree = [tree];
  return tree;
}

const endless: unknown[] = [2];
endless.push(endless, endless);
const endlessTiles: Record<string, unknown> = { tile: [1, 1], outer: "rowMajor" };
endlessTiles["inner"] = endlessTiles;
const MANY = 4_000;

/** What people pass by mistake, and what nobody passes. */
const ODD: readonly unknown[] = [
  ...[undefined, null, true, "", "abc", "(2,3):(1,2)", "((((", `${"9".repeat(400)}:1`, 3n, Symbol("x"), () => 1, {}],
  ...[Number.NaN, -0, 1.5, -1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, Number.POSITIVE_INFINITY],
  ...[new Date(0), new Map(), new Float64Array(2), Object.create(null), { shape: [2], stride: [1] }],
  ...[
    [],
    [[]],
    [null],
    ["1", 0],
    [1.5],
    [Number.NaN],
    [-1, 4],
    [2 ** 53],
    [1e308],
    new Array(2),
    new Array(2 ** 32 - 1),
  ],
  ...[nest(62), nest(70), endless, endlessTiles, [endlessTiles]],
  ...[{ tile: [2, 2], outer: "rowMajor", inner: "columnMajor" }, { strides: [1, 2] }, { roundUp: 1 }],
  Array.from({ length: MANY }, () => 1),
  Array.from({ length: MANY }, (_, i) => MANY - 1 - i),
];

const manyAxes = main.layout(
  Array.from({ length: MANY }, () => 0),
  Array.from({ length: MANY }, (_, i) => i),
);
const farLayout = main.layout([2 ** 26, 2 ** 26], [1, 2 ** 26]);
const LAYOUTS = fc.oneof(
  layouts({ maxLeaves: 4, maxSize: 60 }),
  fc.constantFrom(main.layout([]), main.layout([0, 3], [5, 2 ** 52]), manyAxes, farLayout),
);
const TREES = fc.oneof(fc.integer({ min: -2, max: 6 }), fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }));

/** Lists whose entries are odd or sound: what is checked entry by entry. */
const MIXED = fc.array(fc.oneof(fc.constantFrom(...ODD), TREES, LAYOUTS), { maxLength: 3 });
const ARGUMENT = fc.oneof(
  { weight: 4, arbitrary: LAYOUTS },
  { weight: 3, arbitrary: TREES },
  { weight: 4, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: MIXED },
);

/** What a function gives, or the error by which it refuses. Iterables are walked for a few steps. */
function outcome(fn: Callable, args: readonly unknown[]): unknown {
  try {
    const isClass = /^class\b/.test(Function.prototype.toString.call(fn));
    const value = isClass ? Reflect.construct(fn, [...args]) : fn(...args);
    if (typeof value === "object" && value !== null && Symbol.iterator in value) {
      let steps = 0;
      for (const _ of value as Iterable<unknown>) if (++steps === 100) break;
    }
    return value;
  } catch (error) {
    return error;
  }
}

/** Whether an error is one that the package may throw. */
function isTyped(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof main.LayoutError && error.code.startsWith("SW_LAYOUT_"));
}

/** Functions that take the name of their caller after all other arguments; where it is given, messages begin with it. */
const NAMED_BY_CALLER = [
  ...["broadcastExtents", "expandTo", "flipAxis", "inferExtent", "permuteAxes", "reshapeRowMajor", "selectAxis"],
  ...[
    "squeezeAxis",
    "unsqueezeAxis",
    "strided",
    "parseEinsum",
    "parseRearrange",
    "sliceModes",
    "reshapeModes",
    "squeezeMode",
  ],
  ...["unsqueezeMode", "windowOf", "axisStart", "selectedAxis", "slicedAxis"],
];

describe("D5 wrong arguments: nothing but TypeError and LayoutError, which name the function, is ever thrown", () => {
  test.each(EXPORTS)("%s", (entryAndName, fn) => {
    // One more than the length counts, which leaves out what has a default: a limit, options, or the name of the caller,
    // a label that no user passes and that may be of any type but a list without end.
    const args = fc.array(ARGUMENT, { maxLength: fn.length + 1 }).filter((list) => !Array.isArray(list[fn.length]));
    fc.assert(
      fc.property(args, (list) => {
        const result = outcome(fn, list);
        if (!(result instanceof Error)) return;
        if (!isTyped(result)) throw result;
        const name = entryAndName.split(" ")[1]!;
        if (list.length > fn.length && NAMED_BY_CALLER.includes(name)) return;
        expect(result.message.slice(0, name.length + 2)).toBe(`${name}: `);
      }),
      // The same cases in every lane; other seeds are for hunting.
      { seed: 20_261_130, numRuns: 300, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
    );
  });
});

describe("D5 sound arguments: layouts that are valid, and operands left alone", () => {
  test.each(EXPORTS)("%s", (_, fn) => {
    const args = fc.tuple(
      layouts({ maxLeaves: 4, maxSize: 60 }),
      fc.oneof(layouts({ maxLeaves: 2, maxSize: 12 }), TREES),
      TREES,
    );
    fc.assert(
      fc.property(args, (list) => {
        const before = JSON.stringify(list);
        const result = outcome(fn, list.slice(0, fn.length + 1));
        if (result instanceof Error && !isTyped(result)) throw result;
        expect(JSON.stringify(list)).toBe(before);
        if (!main.isLayout(result)) return;
        // checked again from scratch: congruent, safe, no -0, the size that it says
        const again = main.layoutFromJSON(JSON.parse(JSON.stringify(result)));
        expect([again.shape, again.stride, again.size]).toEqual([result.shape, result.stride, result.size]);
        if (result.size < 10_000) expect(enumerate(result).every(Number.isSafeInteger)).toBe(true);
      }),
      { seed: 20_261_130, numRuns: 300 },
    );
  });
});
