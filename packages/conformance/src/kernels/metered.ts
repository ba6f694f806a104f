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
 * Compares what a kernel takes of the heap on small and on large operands. Lists of a length that does not depend on the
 * operands are no concern; what grows with them is a tensor, or garbage an element.
 *
 * @returns whether the candidate takes the operands.
 * @throws ConformanceError `SW_CONFORMANCE_ALLOCATED`.
 */
export function checkAllocation(calls: readonly Call[], meter: (work: () => void) => number): boolean {
  let more = 0;
  let limit = 0;
  for (let warm: number = WARM.least; warm <= WARM.most; warm *= 2) {
    const [small, large] = calls.map((call) => bytesOf(call, warm, meter));
    if (small === undefined || large === undefined) return false;
    more = large.heap - small.heap;
    limit = (large.operands - small.operands) / 8;
    if (more <= limit) return true;
  }
  const call = calls[1]!;
  const shown = {
    got: String(Math.round(more)),
    expected: `at most ${limit}`,
    bound: "an eighth of what the operands have more",
  };
  throw new ConformanceError(
    "SW_CONFORMANCE_ALLOCATED",
    call.caseId,
    `a call takes memory of the heap that grows with its operands: got ${shown.got} bytes more than on small ones, expected ${shown.expected}.`,
    { ...shown, operands: describeCall(call.name, call.sample, call.where, call.seed) },
  );
}

interface Taken {
  /** By one call. */
  readonly heap: number;
  /** The bytes of all elements of the operands. */
  readonly operands: number;
}

function bytesOf(
  { candidate, kernel, name, sample, workspace }: Call,
  warm: number,
  meter: (work: () => void) => number,
): Taken | undefined {
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
    repeat(warm);
    const rounds = Array.from({ length: ROUNDS }, () => meter(() => repeat(CALLS)) / CALLS);
    const heap = rounds.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2]!;
    return {
      heap,
      operands: operands.reduce((sum, { data }, i) => sum + data.BYTES_PER_ELEMENT * placed[i]!.positions.length, 0),
    };
  } finally {
    for (const one of placed) free(one);
  }
}
