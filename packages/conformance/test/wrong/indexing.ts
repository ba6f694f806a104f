import type { Kernel, Operand } from "@sw/tensor/seam";
import { positions, reference } from "../support.js";
import type { Defect } from "./defect.js";

/** The same call, with each index changed first. */
function indexing(name: string, place: number, change: (index: number, extent: number) => number): Kernel {
  return (outputs, inputs, ints, floats) => {
    const axis = ints[0]!;
    const extent = (place === 0 ? outputs[0]! : inputs[0]!).shape[axis]!;
    const index = inputs[place]!;
    const data = index.data.slice() as Operand["data"];
    for (const at of positions(index)) {
      const changed = change(Number(data[at]), extent);
      data[at] = index.dtype === "int64" ? BigInt(changed) : changed;
    }
    reference(name)(
      outputs,
      inputs.map((input, i) => (i === place ? { ...index, data } : input)),
      ints,
      floats,
    );
  };
}

const wrapped = (index: number, extent: number): number => (index < 0 ? index + extent : index);
const clamped = (index: number, extent: number): number => Math.min(Math.max(index, 0), extent - 1);

/** The same call, backwards along every axis: of equal indices the first wins, and sums are rounded in another order. */
function backwards(name: string): Kernel {
  const turned = (o: Operand, axes: readonly number[]): Operand => ({
    ...o,
    offset: axes.reduce((at, axis) => at + (o.shape[axis]! - 1) * o.strides[axis]!, o.offset),
    strides: o.strides.map((stride, axis) => (axes.includes(axis) ? -stride : stride)),
  });
  return ([out], [index, source], ints) => {
    if (source!.shape.includes(0)) return;
    const axes = source!.shape.map((_, axis) => axis);
    const others = axes.filter((axis) => axis !== ints[0]);
    const indices = index!.shape.length === 1 && axes.length > 1 ? turned(index!, [0]) : turned(index!, axes);
    reference(name)([turned(out!, others)], [indices, turned(source!, axes)], ints, []);
  };
}

/** Puts an element at a time, and so some of them before it finds an index that names nothing. */
const eager: Kernel = ([out], [index, source], ints) => {
  const places = positions(index!);
  positions(source!).forEach((at, i) => {
    const one = (o: Operand, offset: number, axis?: number): Operand => ({
      ...o,
      offset,
      shape: o.shape.map((extent, a) => (a === axis ? extent : 1)),
    });
    const { shape } = source!;
    let rest = i;
    let to = out!.offset;
    for (let a = shape.length - 1; a >= 0; a--) {
      if (a !== ints[0]) to += (rest % shape[a]!) * out!.strides[a]!;
      rest = Math.floor(rest / shape[a]!);
    }
    reference("scatter")([one(out!, to, ints[0])], [one(index!, places[i]!), one(source!, at)], ints, []);
  });
};

/** Defects of kernels that pick elements by the numbers in another operand, and of losses. */
export const INDEXING_DEFECTS: readonly Defect[] = [
  {
    what: "counts negative indices from the end",
    kernels: { gather: indexing("gather", 1, wrapped) },
    caughtBy: "kernels/gather/float32/index-out-of-range",
    code: "SW_CONFORMANCE_ACCEPTED",
  },
  {
    what: "clamps indices to the axis",
    kernels: { indexSelect: indexing("indexSelect", 1, clamped) },
    caughtBy: "kernels/indexSelect/float32/index-out-of-range",
    code: "SW_CONFORMANCE_ACCEPTED",
  },
  {
    what: "reads the low half of 64-bit indices",
    kernels: { indexAdd: indexing("indexAdd", 0, (index) => index | 0) },
    caughtBy: "kernels/indexAdd/int64/index-out-of-range",
    code: "SW_CONFORMANCE_ACCEPTED",
  },
  {
    what: "puts elements before it has looked at every index",
    kernels: { scatter: eager },
    caughtBy: "kernels/scatter/float32/index-out-of-range",
    code: "SW_CONFORMANCE_CANARY",
  },
  {
    what: "lets the first of equal indices win",
    kernels: { scatter: backwards("scatter") },
    caughtBy: "kernels/scatter/float32/contiguous",
  },
  {
    what: "adds in another order",
    kernels: { scatterAdd: backwards("scatterAdd") },
    caughtBy: "kernels/scatterAdd/float32/index-int32",
  },
  {
    what: "puts where it is to add",
    kernels: { indexAdd: ([out], [index, source], ints) => scattered(out!, index!, source!, ints) },
    caughtBy: "kernels/indexAdd/float32/contiguous",
  },
  {
    what: "takes every axis for the first",
    kernels: {
      gather: ([out], [x, index], ints) => {
        const axis = x!.shape.every((extent, a) => a === 0 || extent === index!.shape[a]) ? 0 : ints[0]!;
        reference("gather")([out!], [x!, index!], [axis], []);
      },
    },
    caughtBy: "kernels/gather/float32/sizes",
  },
  {
    what: "divides by all rows, the ignored ones too",
    kernels: {
      nllLoss: ([out], [x, target], [reduction, ...ignored]) => {
        reference("nllLoss")([out!], [x!, target!], [reduction === 0 ? 1 : reduction!, ...ignored], []);
        if (reduction === 0) out!.data[out!.offset] = Number(out!.data[out!.offset]) / x!.shape[0]!;
      },
    },
    caughtBy: "kernels/nllLoss/float32/reductions",
  },
  {
    what: "gives NaN for the gradient of a loss whose rows are all ignored",
    kernels: {
      nllLossBackward: ([out], inputs, ints) => {
        reference("nllLossBackward")([out!], inputs, ints, []);
        const all = positions(inputs[1]!).every((at) => Number(inputs[1]!.data[at]) === ints[2]);
        if (all) for (const at of positions(out!)) out!.data[at] = Number.NaN;
      },
    },
    caughtBy: "kernels/nllLossBackward/float32/all-ignored",
  },
];

/** `indexAdd` as a `scatter` along the axis. */
function scattered(out: Operand, index: Operand, source: Operand, ints: readonly number[]): void {
  const strides = source.shape.map((_, axis) => (axis === ints[0] ? index.strides[0]! : 0));
  reference("scatter")([out], [{ ...index, shape: source.shape, strides }, source], ints, []);
}
