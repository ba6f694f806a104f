import {
  arange,
  type DType,
  eq,
  gather,
  indexAdd,
  indexSelect,
  ne,
  scatter,
  scatterAdd,
  type Tensor,
  where,
  zeros,
} from "@sw/tensor";
import { type BackwardRecord, type BackwardRule, unpack } from "@sw/tensor/seam";
import { noGrad } from "../mode.js";
import { inputShape, needs } from "./needs.js";

// What picks elements and what adds them are one another's transposes. Indices are constant: their versions are checked
// where a rule reads them, and the elements that they name are never read again.

/** The memory that a cotangent is added into. */
function fresh(record: BackwardRecord, g: Tensor): Tensor {
  return zeros(inputShape(record, 0), { dtype: g.dtype });
}

/** Zeros of a shape, in the memory of one. */
function zero<D extends DType>(shape: readonly number[], dtype: D): Tensor<D> {
  return zeros([], { dtype }).expand(shape);
}

function axisOf({ ints: [axis = 0] }: BackwardRecord): number {
  return axis;
}

export const gatherRule: BackwardRule = (record, g) => [
  scatterAdd(fresh(record, g), unpack(record, 0), g, axisOf(record)),
  undefined,
];

export const indexSelectRule: BackwardRule = (record, g) => [
  indexAdd(fresh(record, g), unpack(record, 0), g, axisOf(record)),
  undefined,
];

export const scatterAddRule: BackwardRule = (record, g) => [
  g,
  undefined,
  needs(record, 2) ? gather(g, unpack(record, 0), axisOf(record)) : undefined,
];

export const indexAddRule: BackwardRule = (record, g) => [
  g,
  undefined,
  needs(record, 2) ? indexSelect(g, unpack(record, 0), axisOf(record)) : undefined,
];

export const scatterRule: BackwardRule = (record, g) => {
  const index = unpack(record, 0);
  const axis = axisOf(record);
  return [
    needs(record, 0) ? scatter(g, index, zero(index.shape, g.dtype), axis) : undefined,
    undefined,
    needs(record, 2) ? where(winners(index, inputShape(record, 0), axis), gather(g, index, axis), 0) : undefined,
  ];
};

/** Which elements of a source are in the result: of those that go to one place, the one that was written last. */
function winners(index: Tensor, shape: readonly number[], axis: number): Tensor {
  return noGrad(() => {
    // Elements that meet differ in their place along the axis only.
    const beside = index.shape.map((extent, a) => (a === axis ? extent : 1));
    const places = arange(0, index.shape[axis], 1, { dtype: "int32" }).reshape(beside).expand(index.shape);
    return eq(gather(scatter(zero(shape, "int32"), index, places, axis), index, axis), places);
  });
}

export const embeddingRule: BackwardRule = (record, g) => {
  const ids = unpack(record, 0);
  const [skipId = -1] = record.ints;
  const row = inputShape(record, 0).slice(1);
  const counts = (): Tensor => ne(ids, skipId).reshape([...ids.shape, ...row.map(() => 1)]);
  return [indexAdd(fresh(record, g), ids, skipId < 0 ? g : where(noGrad(counts), g, 0), 0), undefined];
};

export const concatRule: BackwardRule = (record, g) => {
  const axis = axisOf(record);
  let end = 0;
  return record.inputs.map(({ node, shape }) => {
    const start = end;
    end += shape[axis] ?? 0;
    return node === undefined ? undefined : g.slice(axis, start, end);
  });
};
