import { concat, embedding, gather, indexAdd, indexSelect, scatter, scatterAdd, type Tensor, tensor } from "@sw/tensor";
import { type Check, type Checks, every, type F64, normal } from "../forms.js";

/** Numbers below a limit, in no order and some of them twice. */
function indices(shape: readonly number[], limit: number, dtype: "int32" | "int64" | "uint8" = "int32"): Tensor {
  const size = shape.reduce((product, extent) => product * extent, 1);
  const numbers = Array.from({ length: size }, (_, i) => (7 * i * i + 3 * i + 1) % limit);
  return tensor(dtype === "int64" ? numbers.map(BigInt) : numbers, { shape: [...shape], dtype });
}

/** A shape with another extent along an axis; none where there is nothing to pick from. */
function along(shape: readonly number[], axis: number, extent: number): number[] {
  return shape.map((own, a) => (a === axis ? (own === 0 ? 0 : extent) : own));
}

/** Every form that has an axis, with its first and its last, which have indices of their own. */
function picks(make: (x: F64, axis: number, picked: number[]) => Check): Check[] {
  return every(normal)
    .filter((x) => x.rank > 0)
    .flatMap((x) => [...new Set([0, x.rank - 1])].map((axis) => make(x, axis, along(x.shape, axis, 4))));
}

/** What is put into an operand at places of its own: the source on all forms too. */
function puts(fn: (x: F64, index: Tensor, source: F64, axis: number) => F64): Check[] {
  return [
    ...picks((x, axis, picked) => {
      const index = indices(picked, x.shape[axis] || 1);
      return [(a, source) => fn(a as F64, index, source as F64, axis), [x, normal(picked)]];
    }),
    ...every(normal)
      .filter((source) => source.rank > 0)
      .map((source): Check => {
        const index = indices(source.shape, 2, "uint8");
        return [(a, s) => fn(a as F64, index, s as F64, 0), [normal(along(source.shape, 0, 2)), source]];
      }),
  ];
}

export const CHECKS: Checks = {
  gather: () =>
    picks((x, axis, picked) => {
      const index = indices(picked, x.shape[axis] || 1, "int64");
      return [(a) => gather(a as F64, index, axis), [x]];
    }),
  scatter: () => puts(scatter),
  scatterAdd: () => puts(scatterAdd),
  indexSelect: () => [
    ...picks((x, axis, picked) => {
      const index = indices([picked[axis] as number], x.shape[axis] || 1);
      return [(a) => indexSelect(a as F64, index, axis), [x]];
    }),
    // Indices of no axis, and of two.
    [(a) => indexSelect(a as F64, indices([], 3, "uint8"), 1), [normal([2, 3])]],
    [(a) => indexSelect(a as F64, indices([2, 2], 3).T, 1), [normal([2, 3])]],
  ],
  indexAdd: () => [
    ...picks((x, axis, picked) => {
      const index = indices([picked[axis] as number], x.shape[axis] || 1);
      return [(a, source) => indexAdd(a as F64, index, source as F64, axis), [x, normal(picked)]];
    }),
    [(a, source) => indexAdd(a as F64, indices([], 3), source as F64, 1), [normal([2, 3]), normal([2])]],
    [
      (a, source) => indexAdd(a as F64, indices([2, 2], 3, "int64"), source as F64, 1),
      [normal([2, 3]), normal([2, 2, 2]).transpose(0, 2) as F64],
    ],
  ],
  embedding: () => [
    ...every(normal)
      .filter((table) => table.rank > 0)
      .map((table): Check => {
        const ids = indices(table.size === 0 ? [0, 2] : [2, 2], table.shape[0] || 1);
        return [(a) => embedding(a as F64, ids), [table]];
      }),
    // A row that is skipped has no gradient, though it has a derivative: here it is not looked up.
    [(a) => embedding(a as F64, indices([4], 3, "uint8"), { skipId: 3 }), [normal([4, 2])]],
    [(a) => embedding(a as F64, indices([], 2, "int64"), { skipId: 0 }), [normal([2, 3]).T as F64]],
  ],
  concat: () => [
    ...picks((x, axis, picked) => [(a, b) => concat([a as F64, b as F64], axis), [x, normal(picked)]]),
    [(a) => concat([a as F64], 1), [normal([2, 3])]],
    // One tensor in two places, and one of no elements.
    [(a, b) => concat([a as F64, b as F64, a as F64], 0), [normal([3]), normal([0])]],
  ],
};
