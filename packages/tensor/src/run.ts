import { coalesce, expandTo, extents, type Layout, type Loops, refine, select } from "@sw/layout";
import type { Attributes, Backend, Kernel, Operand } from "./backend.js";
import { castInto } from "./convert/cast.js";
import { copyInto } from "./convert/copy.js";
import type { DType } from "./dtype.js";
import { KernelMissingError } from "./errors.js";
import { showShape } from "./gate.js";
import { allocateRowMajor, checkLive } from "./handle.js";
import { current } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// From tensors to a kernel: the layouts of all operands become one nest of loops (or one
// stride an axis), the windows are made after the last allocation, the chain of backends
// is asked, and the kernel writes. Outputs always pass the write gate.

const NO_NUMBERS: readonly number[] = [];

/** What every process has without a backend, so that files and views need none. */
const BUILT_IN: Backend = {
  name: "built-in",
  seamVersion: 1,
  kernels: {
    copy: ([out], [input]) => copyInto(out as Operand, input as Operand),
    cast: ([out], [input]) => castInto(out as Operand, input as Operand),
  },
};

function operandOf(name: string, t: Tensor, shape: readonly number[], strides: readonly number[]): Operand {
  checkLive(t, name);
  return { dtype: t.dtype, data: windowOf(t), offset: t.offset, shape, strides };
}

/**
 * Finds the kernel that runs an operation on these operands: the first backend of the chain that has it and
 * takes them; last, what is built in.
 *
 * @throws KernelMissingError `SW_TENSOR_KERNEL_MISSING`.
 * @since 0.1.0
 */
export function choose(name: string, outputs: readonly Operand[], inputs: readonly Operand[]): Kernel {
  const { kernels: chain } = current();
  for (const backend of chain) {
    const kernel = backend.kernels[name];
    if (kernel !== undefined && (backend.supports === undefined || backend.supports(name, outputs, inputs))) {
      return kernel;
    }
  }
  const builtIn = BUILT_IN.kernels[name];
  if (builtIn !== undefined) return builtIn;
  const described = [...outputs, ...inputs].map((o) => `${o.dtype}${showShape(o.shape)}`).join(", ");
  throw new KernelMissingError(
    name,
    described,
    chain.map((backend) => backend.name),
  );
}

/** Refuses outputs that cannot be written, before any of them counts a write. */
function checkWritable(name: string, outputs: readonly Tensor[]): void {
  for (const out of outputs) out.buffer.checkWritable(out.generation, name);
}

function call(
  name: string,
  outputs: readonly Tensor[],
  outputOperands: readonly Operand[],
  inputOperands: readonly Operand[],
  a: Attributes,
): void {
  const kernel = choose(name, outputOperands, inputOperands);
  checkWritable(name, outputs);
  for (const out of outputs) out.buffer.beginWrite(out.generation, name);
  kernel(outputOperands, inputOperands, a.ints ?? NO_NUMBERS, a.floats ?? NO_NUMBERS);
}

/** The one nest of loops of an element-wise call: outputs first. `undefined` where nests have no refinement. */
function nestOf(name: string, outputs: readonly Tensor[], inputs: readonly Tensor[]): Loops | undefined {
  const { shape } = outputs[0] as Tensor;
  const layouts: Layout[] = [];
  for (const out of outputs) layouts.push(out.layout);
  for (const input of inputs) {
    layouts.push(sameExtents(input.shape, shape) ? input.layout : expandTo(input.layout, shape, name).layout);
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
  name: string,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  attributes: Attributes = {},
): void {
  const nest = nestOf(name, outputs, inputs);
  if ((outputs[0] as Tensor).size === 0) return;
  if (nest === undefined) {
    straightened(inputs, (flat) => runLoops(name, outputs, flat, attributes));
    return;
  }
  const operands = operandsOf(name, [...outputs, ...inputs], nest);
  call(name, outputs, operands.slice(0, outputs.length), operands.slice(outputs.length), attributes);
}

/** Runs an element-wise kernel into an output of its own, and returns the output's memory where that throws. */
export function runInto<D extends DType>(name: string, out: Tensor<D>, inputs: readonly Tensor[]): Tensor<D> {
  try {
    runLoops(name, [out], inputs);
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
export function runPieces(name: string, out: Tensor, pairs: readonly (readonly [out: Tensor, input: Tensor])[]): void {
  const nests = pairs.map(([piece, input]) => nestOf(name, [piece], [input]) as Loops);
  // A kernel may move the memory, so that the windows of a piece are good for its own call only.
  const operands = (k: number): Operand[] => operandsOf(name, pairs[k] as readonly Tensor[], nests[k] as Loops);
  const kernels = pairs.map((_, k) => {
    const [into, from] = operands(k);
    return choose(name, [into as Operand], [from as Operand]);
  });
  if (pairs.length === 0) return;
  checkWritable(name, [out]);
  out.buffer.beginWrite(out.generation, name);
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
export function checkLoops(name: string, outputs: readonly Tensor[], inputs: readonly Tensor[]): void {
  const nest = nestOf(name, outputs, inputs);
  if ((outputs[0] as Tensor).size === 0) return;
  if (nest === undefined) {
    straightened(inputs, (flat) => checkLoops(name, outputs, flat));
    return;
  }
  const operands = operandsOf(name, [...outputs, ...inputs], nest);
  choose(name, operands.slice(0, outputs.length), operands.slice(outputs.length));
  checkWritable(name, outputs);
}

/**
 * Runs a reduction: the operands a kernel sees have the kept loops first, then the reduced ones, where the output's
 * stride is 0. The output has the input's shape without the reduced axes.
 * @since 0.1.0
 */
export function runReduce(
  name: string,
  output: Tensor,
  input: Tensor,
  axes: readonly number[],
  attributes: Attributes = {},
): void {
  if (output.size === 0) return;
  const kept: number[] = [];
  for (let axis = 0; axis < input.rank; axis++) if (!axes.includes(axis)) kept.push(axis);
  const outer = refine([output.layout, axesOf(input.layout, kept)]);
  const inner = refine([axesOf(input.layout, axes)]);
  if (outer === undefined || inner === undefined) {
    straightened([input], ([flat]) => runReduce(name, output, flat as Tensor, axes, attributes));
    return;
  }
  const shape = [...outer.extents, ...inner.extents];
  const zeros = inner.extents.map(() => 0);
  const outStrides = [...(outer.strides[0] as number[]), ...zeros];
  const inStrides = [...(outer.strides[1] as number[]), ...(inner.strides[0] as number[])];
  const into = operandOf(name, output, shape, outStrides);
  const from = operandOf(name, input, shape, inStrides);
  call(name, [output], [into], [from], attributes);
}

/**
 * Runs a structural kernel: every operand has one stride per axis. An axis that does not coalesce to one leaf is
 * packed first.
 * @since 0.1.0
 */
export function runAxes(
  name: string,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  attributes: Attributes = {},
): void {
  const strides = inputs.map((input) => axisStrides(input.layout));
  if (strides.includes(undefined)) {
    straightened(inputs, (flat) => runAxes(name, outputs, flat, attributes));
    return;
  }
  const outputOperands = outputs.map((out) =>
    operandOf(name, out, out.shape, axisStrides(out.layout) as readonly number[]),
  );
  const inputOperands = inputs.map((input, i) => operandOf(name, input, input.shape, strides[i] as readonly number[]));
  call(name, outputs, outputOperands, inputOperands, attributes);
}

function sameExtents(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function operandsOf(name: string, tensors: readonly Tensor[], nest: Loops): Operand[] {
  return tensors.map((t, i) => operandOf(name, t, nest.extents, nest.strides[i] as readonly number[]));
}

/** Some of a layout's axes, in the order given. */
function axesOf(l: Layout, axes: readonly number[]): Layout {
  return select(l, axes);
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
function straightened(inputs: readonly Tensor[], use: (flat: readonly Tensor[]) => void): void {
  const copies: Tensor[] = [];
  try {
    const flat = inputs.map((input) => {
      if (input.layout.depth <= 1) return input;
      const copy = allocateRowMajor(input, "copy", input.dtype, extents(input.layout));
      copies.push(copy);
      runLoops("copy", [copy], [input]);
      return copy;
    });
    use(flat);
  } finally {
    for (const copy of copies) copy.dispose();
  }
}
