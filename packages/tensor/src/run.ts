import { coalesce, expandTo, extents, type Layout, type Loops, refine, select } from "@sw/layout";
import type { Backend, Kernel, Operand } from "./backend.js";
import { castInto } from "./convert/cast.js";
import { copyInto } from "./convert/copy.js";
import { BUILT_IN_NAME, declinedBy, explained } from "./declined.js";
import type { DType } from "./dtype.js";
import { KernelMissingError } from "./errors.js";
import { showShape } from "./gate.js";
import { allocateRowMajor, checkLive } from "./handle.js";
import type { OperationSpec } from "./operations/spec.js";
import { COPY } from "./operations/specs/movement.js";
import { current } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// From tensors to a kernel: the layouts of all operands become one nest of loops (or one
// stride an axis), the windows are made after the last allocation, the chain of backends
// is asked, and the kernel writes. Outputs always pass the write gate. The spec names the
// kernel; no list that a run is handed is kept.

const NO_NUMBERS: readonly number[] = [];

/** What every process has without a backend, so that files and views need none. */
const BUILT_IN: Backend = {
  name: BUILT_IN_NAME,
  seamVersion: 1,
  kernels: {
    copy: ([out], [input]) => copyInto(out as Operand, input as Operand),
    cast: ([out], [input]) => castInto(out as Operand, input as Operand),
  },
};

function operandOf(operation: string, t: Tensor, shape: readonly number[], strides: readonly number[]): Operand {
  checkLive(t, operation);
  return { dtype: t.dtype, data: windowOf(t), offset: t.offset, shape, strides };
}

/**
 * Finds the kernel that runs an operation on these operands: the first backend of the chain that has it and
 * takes them; last, what is built in.
 *
 * @throws KernelMissingError `SW_TENSOR_KERNEL_MISSING`.
 * @since 0.1.0
 */
export function choose(
  spec: OperationSpec,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
  chain: readonly Backend[] = current().kernels,
): Kernel {
  const { kind } = spec;
  for (let i = 0; i < chain.length; i++) {
    const backend = chain[i] as Backend;
    const kernel = backend.kernels[kind];
    if (kernel === undefined) continue;
    if (backend.supports === undefined || backend.supports(kind, outputs, inputs, ints, floats)) return kernel;
  }
  return BUILT_IN.kernels[kind] ?? missing(kind, outputs, inputs, ints, floats, chain);
}

function missing(
  kernel: string,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
  chain: readonly Backend[],
): never {
  const described = [...outputs, ...inputs].map((o) => `${o.dtype}${showShape(o.shape)}`).join(", ");
  const declined = declinedBy(chain, kernel, outputs, inputs, ints, floats);
  throw new KernelMissingError(kernel, described, declined);
}

/** Tells the scope's trace, where it has one, of a call whose kernel {@link choose} found. */
export function traceCall(
  { kind }: OperationSpec,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  into: readonly Operand[],
  from: readonly Operand[],
  ints: readonly number[] = NO_NUMBERS,
  floats: readonly number[] = NO_NUMBERS,
): void {
  const { trace, kernels: chain } = current();
  trace?.(explained(kind, chain, declinedBy(chain, kind, into, from, ints, floats), outputs, inputs));
}

/** Refuses outputs that cannot be written, before any of them counts a write. */
function checkWritable(operation: string, outputs: readonly Tensor[]): void {
  for (const out of outputs) out.buffer.checkWritable(out.generation, operation);
}

function call(
  spec: OperationSpec,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  into: readonly Operand[],
  from: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): void {
  const kernel = choose(spec, into, from, ints, floats);
  if (current().trace !== undefined) traceCall(spec, outputs, inputs, into, from, ints, floats);
  write(spec.kind, outputs, kernel, into, from, ints, floats);
}

/** Calls a kernel, once all of its outputs passed the write gate. */
export function write(
  operation: string,
  outputs: readonly Tensor[],
  kernel: Kernel,
  into: readonly Operand[],
  from: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): void {
  checkWritable(operation, outputs);
  for (const out of outputs) out.buffer.beginWrite(out.generation, operation);
  kernel(into, from, ints, floats);
}

/** The one nest of loops of an element-wise call: outputs first. `undefined` where nests have no refinement. */
export function nestOf(operation: string, outputs: readonly Tensor[], inputs: readonly Tensor[]): Loops | undefined {
  const { shape } = outputs[0] as Tensor;
  const layouts: Layout[] = [];
  for (const out of outputs) layouts.push(out.layout);
  for (const input of inputs) {
    layouts.push(sameExtents(input.shape, shape) ? input.layout : expandTo(input.layout, shape, operation).layout);
  }
  return refine(layouts);
}

/**
 * Runs an element-wise kernel. Inputs broadcast to the outputs' shape; outputs may be read too (in-place steps).
 *
 * @throws LayoutError when an input does not broadcast; StaleTensorError for memory that was returned;
 * KernelMissingError when no backend takes the operands.
 * @since 0.1.0
 */
export function runLoops(
  spec: OperationSpec,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  ints: readonly number[] = NO_NUMBERS,
  floats: readonly number[] = NO_NUMBERS,
): void {
  const nest = nestOf(spec.kind, outputs, inputs);
  if ((outputs[0] as Tensor).size === 0) return;
  if (nest === undefined) {
    straightened(inputs, (flat) => runLoops(spec, outputs, flat, ints, floats));
    return;
  }
  const into = operandsOf(spec.kind, outputs, nest, 0);
  const from = operandsOf(spec.kind, inputs, nest, outputs.length);
  call(spec, outputs, inputs, into, from, ints, floats);
}

/** Runs an element-wise kernel into an output of its own, and returns the output's memory where that throws. */
export function runInto<D extends DType>(
  spec: OperationSpec,
  out: Tensor<D>,
  inputs: readonly Tensor[],
  ints: readonly number[] = NO_NUMBERS,
  floats: readonly number[] = NO_NUMBERS,
): Tensor<D> {
  try {
    runLoops(spec, [out], inputs, ints, floats);
    return out;
  } catch (error) {
    out.dispose();
    throw error;
  }
}

/**
 * Runs one element-wise kernel over pieces of one output, which counts as one write. In each pair the output's piece
 * and the input's have one shape, and one of the two is flat, so that they have one nest of loops.
 *
 * @throws BufferStateError `SW_BUFFER_READ_ONLY`; StaleTensorError; KernelMissingError.
 */
export function runPieces(
  spec: OperationSpec,
  out: Tensor,
  pairs: readonly (readonly [out: Tensor, input: Tensor])[],
): void {
  const operation = spec.kind;
  const nests = pairs.map(([piece, input]) => nestOf(operation, [piece], [input]) as Loops);
  // A kernel may move the memory, so that the windows of a piece are good for its own call only.
  const operands = (k: number): Operand[] => operandsOf(operation, pairs[k] as readonly Tensor[], nests[k] as Loops, 0);
  const kernels = pairs.map(([, input], k) => {
    const [into, from] = operands(k) as [Operand, Operand];
    const kernel = choose(spec, [into], [from], NO_NUMBERS, NO_NUMBERS);
    if (current().trace !== undefined) traceCall(spec, [out], [input], [into], [from]);
    return kernel;
  });
  if (pairs.length === 0) return;
  checkWritable(operation, [out]);
  out.buffer.beginWrite(out.generation, operation);
  kernels.forEach((kernel, k) => {
    const [into, from] = operands(k);
    kernel([into as Operand], [from as Operand], NO_NUMBERS, NO_NUMBERS);
  });
}

/**
 * Checks all that {@link runLoops} checks before it writes, and writes nothing: for callers that update several
 * tensors in place, all of them or none.
 *
 * @throws as {@link runLoops}; BufferStateError `SW_BUFFER_READ_ONLY`.
 * @since 0.1.0
 */
export function checkLoops(
  spec: OperationSpec,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  ints: readonly number[] = NO_NUMBERS,
  floats: readonly number[] = NO_NUMBERS,
): void {
  const nest = nestOf(spec.kind, outputs, inputs);
  if ((outputs[0] as Tensor).size === 0) return;
  if (nest === undefined) {
    straightened(inputs, (flat) => checkLoops(spec, outputs, flat, ints, floats));
    return;
  }
  const into = operandsOf(spec.kind, outputs, nest, 0);
  choose(spec, into, operandsOf(spec.kind, inputs, nest, outputs.length), ints, floats);
  checkWritable(spec.kind, outputs);
}

/**
 * Runs a reduction: the operands a kernel sees have the kept loops first, then the reduced ones, where the output's
 * stride is 0. The output has the input's shape without the reduced axes.
 * @since 0.1.0
 */
export function runReduce(
  spec: OperationSpec,
  output: Tensor,
  input: Tensor,
  axes: readonly number[],
  ints: readonly number[] = NO_NUMBERS,
  floats: readonly number[] = NO_NUMBERS,
): void {
  if (output.size === 0) return;
  const kept: number[] = [];
  for (let axis = 0; axis < input.rank; axis++) if (!axes.includes(axis)) kept.push(axis);
  const outer = refine([output.layout, select(input.layout, kept)]);
  const inner = refine([select(input.layout, axes)]);
  if (outer === undefined || inner === undefined) {
    straightened([input], ([flat]) => runReduce(spec, output, flat as Tensor, axes, ints, floats));
    return;
  }
  const shape = [...outer.extents, ...inner.extents];
  const zeros = inner.extents.map(() => 0);
  const outStrides = [...(outer.strides[0] as number[]), ...zeros];
  const inStrides = [...(outer.strides[1] as number[]), ...(inner.strides[0] as number[])];
  const into = operandOf(spec.kind, output, shape, outStrides);
  const from = operandOf(spec.kind, input, shape, inStrides);
  call(spec, [output], [input], [into], [from], ints, floats);
}

/**
 * Runs a structural kernel: every operand has one stride per axis. An axis that does not coalesce to one leaf is
 * packed first. Without elements in its first output there is no call.
 * @since 0.1.0
 */
export function runAxes(
  spec: OperationSpec,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  ints: readonly number[] = NO_NUMBERS,
  floats: readonly number[] = NO_NUMBERS,
): void {
  if ((outputs[0] as Tensor).size === 0) return;
  const strides = inputs.map((input) => axisStrides(input.layout));
  if (strides.includes(undefined)) {
    straightened(inputs, (flat) => runAxes(spec, outputs, flat, ints, floats));
    return;
  }
  const into = outputs.map((out) => operandOf(spec.kind, out, out.shape, axisStrides(out.layout) as readonly number[]));
  const from = inputs.map((input, i) => operandOf(spec.kind, input, input.shape, strides[i] as readonly number[]));
  call(spec, outputs, inputs, into, from, ints, floats);
}

function sameExtents(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The operands of some tensors, whose strides begin at `first` among those of the nest. */
export function operandsOf(operation: string, tensors: readonly Tensor[], nest: Loops, first: number): Operand[] {
  return tensors.map((t, i) => operandOf(operation, t, nest.extents, nest.strides[first + i] as readonly number[]));
}

/** One stride per axis; `undefined` where a nested axis needs more than one. */
function axisStrides(l: Layout): readonly number[] | undefined {
  if (l.depth <= 1) return l.stride as readonly number[];
  const strides: number[] = [];
  for (let axis = 0; axis < l.rank; axis++) {
    const flat = coalesce(select(l, [axis]));
    if (flat.rank > 1) return undefined;
    strides.push((flat.stride[0] as number | undefined) ?? 0);
  }
  return strides;
}

/** Lends row-major copies of the inputs whose axes are nested, and disposes them. */
export function straightened(inputs: readonly Tensor[], use: (flat: readonly Tensor[]) => void): void {
  const copies: Tensor[] = [];
  try {
    const flat = inputs.map((input) => {
      if (input.layout.depth <= 1) return input;
      const copy = allocateRowMajor(input, COPY.kind, input.dtype, extents(input.layout));
      copies.push(copy);
      runLoops(COPY, [copy], [input]);
      return copy;
    });
    use(flat);
  } finally {
    for (const copy of copies) copy.dispose();
  }
}
