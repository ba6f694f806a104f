import { requirePointers, search } from "../integers.js";
import type { SparseIndex, SparseSource } from "./sparse-index.js";

/** Rows or columns, each a slice of ascending indices (4.7): R103 for the pointers, R104 and R105 for the indices. */
export function readCompressed(source: SparseSource, kind: "csr" | "csc"): SparseIndex {
  const { shape, nnz } = source;
  const major = kind === "csr" ? 0 : 1;
  const minor = 1 - major;
  const slices = shape[major]!;
  const extent = shape[minor]!;
  const pointers = source.integers(2, slices + 1);
  requirePointers(source.fail, "R103", 2, pointers, nnz);
  const indices = source.integers(1, nnz);
  for (let slice = 0; slice < slices; slice++) {
    for (let i = pointers[slice]!; i < pointers[slice + 1]!; i++) {
      const index = indices[i]!;
      if (index >= extent) source.fail("R105", 1, i, "an index is out of bounds", index, `below ${extent}`);
      if (i > pointers[slice]! && index <= indices[i - 1]!) {
        source.fail("R104", 1, i, "indices do not ascend in their slice", index, `more than ${indices[i - 1]}`);
      }
    }
  }
  return {
    nnz,
    position: (coordinate) => {
      const slice = coordinate[major]!;
      const at = search(indices, pointers[slice]!, pointers[slice + 1]!, coordinate[minor]!);
      return at < 0 ? undefined : at;
    },
    ordinals: (strides) => {
      const ordinals = new Float64Array(nnz);
      for (let slice = 0; slice < slices; slice++) {
        for (let i = pointers[slice]!; i < pointers[slice + 1]!; i++) {
          ordinals[i] = slice * strides[major]! + indices[i]! * strides[minor]!;
        }
      }
      return ordinals;
    },
  };
}
