import type { Meter } from "../case.js";
import { ConformanceError } from "../errors.js";
import { allocate, fill, free, operandOf, type Placed } from "../operands/memory.js";
import type { Call } from "./check.js";
import { describeCall } from "./describe.js";

/**
 * Calls before anything is measured: working memory is taken by then. Code that the host has not compiled yet makes an
 * object of each number, and nobody is told when it has: what takes too much is measured anew after twice the calls.
 */
const WARM = { least: 60, most: 960 } as const;
const CALLS = 10;
/** The middle one of several is taken: a collection makes one of them too small, the host's compiler one too large. */
const ROUNDS = 5;

/**
 * What a call may take of the heap for each element of its operands: the numbers that the host makes objects of on their
 * way through a function that it does not inline. An array for each is more.
 */
const HEAP_AN_ELEMENT = 24;

/**
 * Compares what a kernel takes on small and on large operands. Lists of a length that does not depend on the operands are
 * no concern; what grows with them is a buffer of their size, or garbage an element.
 *
 * @returns whether the candidate takes the operands.
 * @throws ConformanceError `SW_CONFORMANCE_ALLOCATED`.
 */
export function checkAllocation(calls: readonly Call[], meter: Meter): boolean {
  let excess: Excess | undefined;
  for (let warm: number = WARM.least; warm <= WARM.most; warm *= 2) {
    const [small, large] = calls.map((call) => takenBy(call, warm, meter));
    if (small === undefined || large === undefined) return false;
    excess = excessOf(small, large);
    if (excess === undefined) return true;
  }
  const call = calls[1]!;
  const { more, limit, what } = excess!;
  const shown = { got: String(Math.round(more)), expected: `at most ${limit}`, bound: what };
  throw new ConformanceError(
    "SW_CONFORMANCE_ALLOCATED",
    call.caseId,
    `a call takes memory that grows with its operands: got ${shown.got} bytes more than on small ones, expected ${shown.expected}, ${what}.`,
    { ...shown, operands: describeCall(call.name, call.sample, call.where, call.seed) },
  );
}

interface Excess {
  readonly more: number;
  readonly limit: number;
  readonly what: string;
}

function excessOf(small: Taken, large: Taken): Excess | undefined {
  const bytes = { more: large.buffers - small.buffers, limit: (large.bytes - small.bytes) / 8 };
  if (bytes.more > bytes.limit) return { ...bytes, what: "an eighth of what the operands have more" };
  const objects = { more: large.heap - small.heap, limit: HEAP_AN_ELEMENT * (large.elements - small.elements) };
  if (objects.more > objects.limit) return { ...objects, what: `${HEAP_AN_ELEMENT} for each element of the operands` };
  return undefined;
}

interface Taken {
  /** By one call, of the heap of objects and of array buffers. */
  readonly heap: number;
  readonly buffers: number;
  /** Of the operands, all together. */
  readonly elements: number;
  readonly bytes: number;
}

function takenBy({ candidate, kernel, name, sample, workspace }: Call, warm: number, meter: Meter): Taken | undefined {
  const memory = candidate.memory ?? workspace.heap;
  const placed: Placed[] = [];
  try {
    for (const { dtype, placement, loops, values } of [...sample.outputs, ...sample.inputs]) {
      const one = allocate(memory, workspace, dtype, placement, loops);
      placed.push(one);
      fill(one, 0, values);
    }
    const operands = placed.map(operandOf);
    const outputs = operands.slice(0, sample.outputs.length);
    const inputs = operands.slice(sample.outputs.length);
    const { ints, floats } = sample;
    if (candidate.supports?.(name, outputs, inputs, ints, floats) === false) return undefined;
    const repeat = (times: number): void => {
      for (let i = 0; i < times; i++) kernel(outputs, inputs, ints, floats);
    };
    const returned: unknown = kernel(outputs, inputs, ints, floats);
    if (returned instanceof Promise) {
      // Nobody else waits for it.
      returned.catch(() => {});
      throw new TypeError("the kernel returned a promise");
    }
    repeat(warm);
    const rounds = Array.from({ length: ROUNDS }, () => meter(() => repeat(CALLS)));
    const counts = placed.map(({ positions }) => positions.length);
    return {
      heap: middle(rounds.map(({ heap }) => heap)) / CALLS,
      buffers: middle(rounds.map(({ buffers }) => buffers)) / CALLS,
      elements: counts.reduce((sum, count) => sum + count, 0),
      bytes: counts.reduce((sum, count, i) => sum + operands[i]!.data.BYTES_PER_ELEMENT * count, 0),
    };
  } finally {
    for (const one of placed) free(one);
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) / 2]!;
}
