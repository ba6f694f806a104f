import fc from "fast-check";
import { expect } from "vitest";
import { BlockList, type WasmBlock } from "../src/block-list.js";
import type { SizeTree } from "../src/size-tree.js";

const LINE = 64;
/** The lines of the whole address space of a model. */
const CAPACITY = 128;
/** What a line of the model's address space is: outside of the list, free, or the number of its block. */
const OUTSIDE = -1;
const FREE = 0;

/** An address space as a row of lines, searched from end to end. */
interface Model {
  /** The address of the first line. */
  readonly base: number;
  readonly lines: Int32Array;
  /** The end of what was added, in lines. */
  end: number;
  /** Blocks in use, with the number that their lines bear. */
  readonly held: {
    readonly block: WasmBlock;
    readonly first: number;
    readonly count: number;
  }[];
  /** Blocks that were freed, the last few. */
  readonly stale: WasmBlock[];
  given: number;
  /** How many commands were run on it. */
  ran: number;
}

interface Real {
  readonly list: BlockList;
}

function setup(base: number): { model: Model; real: Real } {
  const lines = new Int32Array(CAPACITY).fill(OUTSIDE);
  const model: Model = { base, lines, end: 0, held: [], stale: [], given: 0, ran: 0 };
  return { model, real: { list: new BlockList() } };
}

/** The first line of the shortest run of free lines that is long enough, the lowest of equals; -1 without one. */
function bestRun({ lines, end }: Model, count: number): number {
  let best = -1;
  let bestLength = Number.POSITIVE_INFINITY;
  for (let start = 0; start < end; start += 1) {
    if (lines[start] !== FREE) continue;
    let stop = start;
    while (stop < end && lines[stop] === FREE) stop += 1;
    if (stop - start >= count && stop - start < bestLength) [best, bestLength] = [start, stop - start];
    start = stop;
  }
  return best;
}

/** Checks every law of the list against the model: what it holds is what the model holds, joined as far as can be. */
function check(model: Model, { list }: Real): void {
  model.ran += 1;
  let at = 0;
  let free = 0;
  let wasFree = false;
  for (let block = list.edge.after; block !== list.edge; block = block.after) {
    assert(block.before.after === block && block.after.before === block, "the ring is closed");
    const first = (block.address - model.base) / LINE;
    const count = block.byteLength / LINE;
    assert(Number.isInteger(first) && Number.isInteger(count) && count > 0, "blocks are whole 64-byte lines");
    assert(first >= at, "blocks do not overlap and are in order");
    assert(isAll(model.lines, at, first, OUTSIDE), "no byte is lost");
    const isFree = block.owner === undefined;
    assert(!(isFree && wasFree && first === at), "free neighbours are joined");
    const expected = isFree ? FREE : model.lines[first]!;
    assert(isFree || expected > FREE, "a block in use is one that the model gave");
    assert(isAll(model.lines, first, first + count, expected), "the bytes agree");
    at = first + count;
    wasFree = isFree;
    if (isFree) free += 1;
  }
  assert(at === model.end, "no end is lost");
  let waiting = 0;
  for (let bin = 0; bin < list.bins.length; bin += 1) waiting += checkTree(list.bins[bin], 2 ** bin, 2 ** (bin + 1));
  assert(waiting === free, "every free block waits in its bin");
}

/** Checks a subtree, whose blocks have from `minimum` up to below `maximum` lines, and counts it. */
function checkTree(tree: SizeTree, minimum: number, maximum: number): number {
  if (tree === undefined) return 0;
  const lines = tree.byteLength / LINE;
  assert(tree.owner === undefined && lines >= minimum && lines < maximum, "bins hold free blocks of their size");
  return 1 + checkTree(tree.low, minimum, lines + 1) + checkTree(tree.high, lines, maximum);
}

function isAll(lines: Int32Array, start: number, end: number, value: number): boolean {
  for (let line = start; line < end; line += 1) if (lines[line] !== value) return false;
  return true;
}

/** As `expect`, which would cost more than all the rest. */
function assert(holds: boolean, law: string): void {
  if (!holds) expect.fail(law);
}

class Take implements fc.Command<Model, Real> {
  readonly count: number;
  constructor(count: number) {
    this.count = count;
  }
  check(): boolean {
    return true;
  }
  run(model: Model, real: Real): void {
    const first = bestRun(model, this.count);
    const block = real.list.take(this.count * LINE);
    assert((block === undefined) === first < 0, "it refuses exactly where no run is long enough");
    if (block !== undefined) {
      assert(block.address === model.base + first * LINE, "it takes the best fit, the lowest of equals");
      assert(block.byteLength === this.count * LINE, "it takes what was asked");
      model.given += 1;
      model.lines.fill(model.given, first, first + this.count);
      model.held.push({ block, first, count: this.count });
    }
    check(model, real);
  }
  toString(): string {
    return `take(${this.count})`;
  }
}

class Free implements fc.Command<Model, Real> {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check(model: Readonly<Model>): boolean {
    return model.held.length > 0;
  }
  run(model: Model, real: Real): void {
    const index = this.pick % model.held.length;
    const { block, first, count } = model.held[index]!;
    model.held[index] = model.held.at(-1)!;
    model.held.pop();
    real.list.free(block);
    model.lines.fill(FREE, first, first + count);
    if (model.stale.push(block) > 8) model.stale.shift();
    check(model, real);
  }
  toString(): string {
    return `free(${this.pick})`;
  }
}

/** Adds lines at the end, behind a gap that somebody else grew. */
class Extend implements fc.Command<Model, Real> {
  readonly gap: number;
  readonly count: number;
  constructor(gap: number, count: number) {
    this.gap = gap;
    this.count = count;
  }
  check(model: Readonly<Model>): boolean {
    return model.end + this.gap + this.count <= model.lines.length;
  }
  run(model: Model, real: Real): void {
    const first = model.end + this.gap;
    real.list.extend(model.base + first * LINE, this.count * LINE);
    model.end = first + this.count;
    model.lines.fill(FREE, first, model.end);
    let free = 0;
    while (model.lines[model.end - 1 - free] === FREE) free += 1;
    const end = model.base + model.end * LINE;
    assert(real.list.freeBefore(end) === free * LINE, "it counts the free bytes at the end");
    assert(real.list.freeBefore(end + LINE) === 0, "none are free behind the end");
    check(model, real);
  }
  toString(): string {
    return `extend(${this.gap}, ${this.count})`;
  }
}

/** Who holds a freed block holds nothing, and keeps nothing alive unless it waits; who holds one in use, what was given. */
class LookAtHandles implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }
  run(model: Model, real: Real): void {
    for (const block of model.stale) {
      assert(block.owner === undefined, "a freed block is never in use again");
      if (block.after === block) assert(block.before === block && !block.low && !block.high, "it keeps nothing alive");
    }
    for (const { block, first, count } of model.held) {
      assert(block.owner === real.list && !block.low && !block.high, "a block in use is in no tree");
      assert(block.address === model.base + first * LINE && block.byteLength === count * LINE, "it stays what it was");
    }
    check(model, real);
  }
  toString(): string {
    return "lookAtHandles()";
  }
}

/** Every kind of command, for an address space that is small enough to be searched from end to end. */
const COMMANDS: fc.Arbitrary<fc.Command<Model, Real>>[] = [
  fc.integer({ min: 1, max: 12 }).map((count) => new Take(count)),
  fc.constantFrom(1, 2, 16, 33).map((count) => new Take(count)),
  fc.nat(1000).map((pick) => new Free(pick)),
  fc.nat(1000).map((pick) => new Free(pick)),
  fc.tuple(fc.constantFrom(0, 0, 0, 3), fc.integer({ min: 1, max: 40 })).map(([gap, count]) => new Extend(gap, count)),
  fc.constant(new LookAtHandles()),
];

/**
 * Runs random commands on address spaces at the bottom, across 2³¹ and up to the end of 2³², until
 * so many were run. A failure tells the seed and path of its smallest form, as fast-check does.
 */
export function runCommands(total: number, maxCommands: number): void {
  const commands = fc.commands(COMMANDS, { maxCommands, size: "max" });
  const base = fc.constantFrom(LINE, 2 ** 31 - 64 * LINE, 2 ** 32 - CAPACITY * LINE);
  let run = 0;
  while (run < total) {
    fc.assert(
      fc.property(base, commands, (start, some) => {
        const state = setup(start);
        fc.modelRun(() => state, some);
        run += state.model.ran;
      }),
      { numRuns: 20 },
    );
  }
}
