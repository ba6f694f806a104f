import { broadcastExtents, expandTo, type Layout, type Loops, refine, select } from "@sw/layout";
import type { Backend, Kernel } from "./backend.js";
import { checkProgram, reductionOf, specOfStep } from "./check-program.js";
import { BUILT_IN_NAME, type Declined, explained, objectionOf } from "./declined.js";
import type { DType } from "./dtype.js";
import { toElement } from "./element.js";
import { TensorShapeError, TensorValueError } from "./errors.js";
import { plain, showShape } from "./gate.js";
import { allocateRowMajor } from "./handle.js";
import { axesOf } from "./operations/reduce.js";
import { COPY } from "./operations/specs/movement.js";
import type { Program } from "./program.js";
import { nestOf, operandsOf, runLoops, runReduce, straightened, write } from "./run.js";
import { current } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { type Writable, windowOf } from "./window.js";

// A fused program: one call of a backend that compiled it, or its steps one by one. Both
// round where the steps do, so the difference is time and memory.

/** What backends and traces call it. */
const NAME = "program";
/** What its caller called, for the text of errors. */
const OPERATION = "runProgram";
const NONE: readonly number[] = [];

/** What was found of a program, which is checked and compiled once. */
interface Known {
  /** By the number of the value. */
  readonly dtypes: readonly DType[];
  /** What a backend made of it; `undefined` where it cannot. */
  readonly kernels: WeakMap<Backend, { readonly kernel: Kernel | undefined }>;
}

let known: WeakMap<Program, Known> | undefined;

function know(program: Program): Known {
  known ??= new WeakMap();
  let found = typeof program === "object" && program !== null ? known.get(program) : undefined;
  if (found === undefined) {
    found = { dtypes: checkProgram(OPERATION, program), kernels: new WeakMap() };
    known.set(program, found);
  }
  return found;
}

/**
 * Runs a program: by the first backend of the chain in force that compiles it and takes the operands, else step by step.
 * Inputs broadcast to the outputs' shape. With a reduction they broadcast to one another, and the output has their shape
 * without the axes. A program is checked and compiled once, as a value: keep it, and do not change it.
 *
 * @param outputs - of the dtypes that the program says; each may be the very same elements as an input.
 * @param axes - the axes of the reduction; all of them, if none are given. Without a reduction there are none.
 * @throws TensorValueError `SW_TENSOR_PROGRAM` for no program, or tensors that do not fit it; TensorShapeError
 * `SW_TENSOR_SHAPE_MISMATCH` or `SW_TENSOR_AXIS`; LayoutError when inputs do not broadcast; BufferStateError
 * `SW_BUFFER_READ_ONLY`; StaleTensorError; KernelMissingError for a step that no backend takes.
 * @since 0.1.0
 */
export function runProgram(
  program: Program,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  axes?: readonly number[],
): void {
  const { dtypes, kernels } = know(program);
  checkTensors(program, dtypes, outputs, inputs);
  const shape = shapeOf(program, outputs, inputs);
  const reduced = program.reduce === undefined ? NONE : axesOf(OPERATION, { shape }, axes);
  checkOutputs(outputs, shape, reduced);
  for (const input of inputs) expandTo(input.layout, shape, OPERATION);
  run({ program, dtypes, kernels, shape, reduced }, outputs, inputs);
}

/** A program on its way to tensors. */
interface Run extends Known {
  readonly program: Program;
  /** The extents of its loops. */
  readonly shape: readonly number[];
  /** The axes that are reduced. */
  readonly reduced: readonly number[];
}

function run(one: Run, outputs: readonly Tensor[], inputs: readonly Tensor[]): void {
  if ((outputs[0] as Tensor).size === 0) return;
  const { trace, kernels: chain } = current();
  const declined: Declined[] = [];
  for (const backend of chain) {
    const kernel = compiled(one, backend);
    if (kernel === undefined) {
      declined.push({ backend: backend.name, reason: whyNot(backend) });
      continue;
    }
    const nest = loopsOf(one, outputs, inputs);
    if (nest === undefined) {
      straightened(inputs, (flat) => run(one, outputs, flat));
      return;
    }
    // Windows after whatever memory it took to compile.
    const into = operandsOf(OPERATION, outputs, nest, 0);
    const from = operandsOf(OPERATION, inputs, nest, outputs.length);
    const reason = objectionOf(backend, NAME, into, from, NONE, NONE);
    if (reason === undefined) {
      trace?.(explained(NAME, chain, declined, outputs, inputs));
      write(OPERATION, outputs, kernel, into, from, NONE, NONE);
      return;
    }
    declined.push({ backend: backend.name, reason });
  }
  trace?.({ kernel: NAME, backend: BUILT_IN_NAME, staged: [], declined });
  runSteps(one, outputs, inputs);
}

function whyNot({ compile }: Backend): string {
  return compile === undefined ? "has no compile" : "does not compile the program";
}

function compiled({ program, kernels }: Run, backend: Backend): Kernel | undefined {
  if (backend.compile === undefined) return undefined;
  let made = kernels.get(backend);
  if (made === undefined) {
    made = { kernel: backend.compile(program) };
    kernels.set(backend, made);
  }
  return made.kernel;
}

/** The loops of all operands: those of an element-wise call, or the kept ones and then the reduced ones. */
function loopsOf(
  { program, shape, reduced }: Run,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
): Loops | undefined {
  if (program.reduce === undefined) return nestOf(OPERATION, outputs, inputs);
  const { layout } = outputs[0] as Tensor;
  const from = inputs.map((input) => expandTo(input.layout, shape, OPERATION).layout);
  const kept = shape.flatMap((_, axis) => (reduced.includes(axis) ? [] : [axis]));
  const outer = refine([layout, ...from.map((l) => select(l, kept))]);
  const inner = refine(from.map((l): Layout => select(l, reduced)));
  if (outer === undefined || inner === undefined) return undefined;
  const still = inner.extents.map(() => 0);
  const strides = outer.strides.map((list, k) => [...list, ...(k === 0 ? still : (inner.strides[k - 1] as number[]))]);
  return { extents: [...outer.extents, ...inner.extents], strides };
}

/** Runs the steps one by one, each into memory of its own, which goes back. */
function runSteps(
  { program, dtypes, shape, reduced }: Run,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
): void {
  const { constants, steps, reduce } = program;
  const values: Tensor[] = [...inputs];
  const made: Tensor[] = [];
  const make = (extents: readonly number[]): Tensor => {
    const value = allocateRowMajor(outputs[0] as Tensor, OPERATION, dtypes[values.length] as DType, extents);
    made.push(value);
    values.push(value);
    return value;
  };
  try {
    for (const { dtype, value } of constants) {
      (windowOf(make([])) as Writable)[0] = toElement(OPERATION, dtype, value, 0);
    }
    for (const step of steps) {
      const operands = step.operands.map((k) => values[k] as Tensor);
      runLoops(specOfStep(step), [make(shape)], operands, NONE, step.floats ?? NONE);
    }
    // Not before all steps are over: an output may be an input.
    program.outputs.forEach((number, k) => {
      const [out, value] = [outputs[k] as Tensor, values[number] as Tensor];
      if (reduce === undefined) runLoops(COPY, [out], [value]);
      else runReduce(reductionOf(reduce), out, value, reduced);
    });
  } finally {
    for (const value of made) value.dispose();
  }
}

function checkTensors(
  program: Program,
  dtypes: readonly DType[],
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
): void {
  const { reduce } = program;
  const written = program.outputs.map((number) => dtypes[number] as DType);
  // The dtype of a sum may be another than that of its terms.
  const results = reduce === "sum" && !(written[0] as string).includes("float") ? (["int64"] as const) : written;
  checkList("output", results, outputs);
  checkList("input", program.inputs, inputs);
}

function checkList(what: string, dtypes: readonly DType[], tensors: readonly Tensor[]): void {
  if (tensors.length !== dtypes.length) refuse(`another number of ${what}s`, tensors.length, dtypes.length);
  tensors.forEach((t, position) => {
    plain(t, OPERATION);
    const dtype = dtypes[position];
    if (t.dtype !== dtype) refuse(`${what} ${position} has another dtype`, t.dtype, dtype, position);
  });
}

function refuse(what: string, given: unknown, expected: unknown, position?: number): never {
  throw new TensorValueError(
    "SW_TENSOR_PROGRAM",
    `${OPERATION}: ${what} than the program says: got ${given}, expected ${expected}.`,
    { given, expected, ...(position === undefined ? {} : { position }) },
  );
}

/** The shape of the loops. */
function shapeOf({ reduce }: Program, outputs: readonly Tensor[], inputs: readonly Tensor[]): readonly number[] {
  if (reduce === undefined) return (outputs[0] as Tensor).shape;
  let shape: readonly number[] = [];
  for (const input of inputs) shape = broadcastExtents(shape, input.shape, OPERATION);
  return shape;
}

function checkOutputs(outputs: readonly Tensor[], shape: readonly number[], reduced: readonly number[]): void {
  const expected = shape.filter((_, axis) => !reduced.includes(axis));
  for (const out of outputs) {
    if (out.rank === expected.length && out.shape.every((extent, axis) => extent === expected[axis])) continue;
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `runProgram: an output does not have the shape of the program's loops: got ${showShape(out.shape)}, expected ${showShape(expected)}.`,
      { given: out.shape, expected, shape: out.shape },
    );
  }
}
