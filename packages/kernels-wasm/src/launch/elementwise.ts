import type { Operand } from "@sw/tensor/seam";
import type { BinaryCall, StridedBinaryCall } from "../kernels/core.js";

/** The loops of a commutative operation: which input is the scalar does not matter. */
export interface CommutativeLoops {
  readonly vectorVector: BinaryCall;
  readonly vectorScalar: BinaryCall;
  readonly strided: StridedBinaryCall;
}

/**
 * Calls the loop that fits three operands of one shape, given with their addresses. The two innermost loops are one call where the innermost
 * one is contiguous or broadcast, otherwise the innermost one alone; what is outside is walked here.
 */
export function launchCommutative(
  loops: CommutativeLoops,
  out: Operand,
  outAt: number,
  a: Operand,
  aAt: number,
  b: Operand,
  bAt: number,
): void {
  const { shape } = out;
  for (let loop = 0; loop < shape.length; loop++) if (shape[loop] === 0) return;
  // Loops of extent 1 say nothing, whatever their strides are.
  const inner = nextLoop(shape, shape.length - 1);
  const row = nextLoop(shape, inner - 1);
  const outer = nextLoop(shape, row - 1);
  const aInner = strideOf(a, inner);
  const bInner = strideOf(b, inner);
  const contiguous = inner < 0 || strideOf(out, inner) === 1;
  let call: BinaryCall | undefined;
  let first = a;
  let second = b;
  let firstAt = aAt;
  let secondAt = bAt;
  if (inner < 0 || (contiguous && aInner === 1 && bInner === 1)) {
    call = loops.vectorVector;
  } else if (contiguous && aInner + bInner === 1 && aInner * bInner === 0) {
    call = loops.vectorScalar;
    if (aInner === 0) {
      first = b;
      second = a;
      firstAt = bAt;
      secondAt = aAt;
    }
  }
  const nest: Nest = { loops, call, inner, row, out, first, second };
  walk(nest, 0, outer, outAt, firstAt, secondAt);
}

interface Nest {
  readonly loops: CommutativeLoops;
  /** The call that takes two loops at once; without one the strided loop takes one. */
  readonly call: BinaryCall | undefined;
  readonly inner: number;
  readonly row: number;
  readonly out: Operand;
  readonly first: Operand;
  readonly second: Operand;
}

/** Turns the loops from `loop` to `last`, outermost first, and calls at the addresses reached. */
function walk(nest: Nest, loop: number, last: number, out: number, first: number, second: number): void {
  if (loop > last) {
    if (nest.call === undefined) callStrided(nest, out, first, second);
    else callRows(nest, nest.call, out, first, second);
    return;
  }
  const extent = nest.out.shape[loop]!;
  const outStep = stepOf(nest.out, loop);
  const firstStep = stepOf(nest.first, loop);
  const secondStep = stepOf(nest.second, loop);
  for (let i = 0; i < extent; i++) {
    walk(nest, loop + 1, last, out + i * outStep, first + i * firstStep, second + i * secondStep);
  }
}

function callRows(nest: Nest, call: BinaryCall, out: number, first: number, second: number): void {
  const { row } = nest;
  const rows = extentOf(nest.out, row);
  const count = extentOf(nest.out, nest.inner);
  call(rows, count, out, stepOf(nest.out, row), first, stepOf(nest.first, row), second, stepOf(nest.second, row));
}

function callStrided(nest: Nest, out: number, first: number, second: number): void {
  // The longer of the two loops is the call.
  const swap = extentOf(nest.out, nest.row) > extentOf(nest.out, nest.inner);
  const turned = swap ? nest.inner : nest.row;
  const called = swap ? nest.row : nest.inner;
  const turns = extentOf(nest.out, turned);
  const count = extentOf(nest.out, called);
  const outStep = stepOf(nest.out, turned);
  const firstStep = stepOf(nest.first, turned);
  const secondStep = stepOf(nest.second, turned);
  const outInner = stepOf(nest.out, called);
  const firstInner = stepOf(nest.first, called);
  const secondInner = stepOf(nest.second, called);
  for (let i = 0; i < turns; i++) {
    nest.loops.strided(
      count,
      out + i * outStep,
      outInner,
      first + i * firstStep,
      firstInner,
      second + i * secondStep,
      secondInner,
    );
  }
}

/** Finds the loop at `from` or outside of it that turns more than once, or -1. */
function nextLoop(shape: readonly number[], from: number): number {
  let loop = from;
  while (loop >= 0 && shape[loop] === 1) loop--;
  return loop < 0 ? -1 : loop;
}

function extentOf(operand: Operand, loop: number): number {
  return loop < 0 ? 1 : operand.shape[loop]!;
}

function strideOf(operand: Operand, loop: number): number {
  return loop < 0 ? 0 : operand.strides[loop]!;
}

/** The stride of a loop in bytes. */
function stepOf(operand: Operand, loop: number): number {
  return strideOf(operand, loop) * 4;
}
