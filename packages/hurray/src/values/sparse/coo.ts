import type { SparseIndex, SparseSource } from "./sparse-index.js";

/** Coordinates one after another (4.6): in bounds (R100), no two alike (R101), ascending where it says so (R102). */
export function readCoo(source: SparseSource, isSorted: boolean): SparseIndex {
  const { shape, nnz } = source;
  const rank = shape.length;
  const coordinates = source.integers(1, nnz * rank);
  for (let i = 0; i < coordinates.length; i++) {
    const extent = shape[i % rank]!;
    if (coordinates[i]! >= extent) {
      source.fail("R100", 1, i, "a coordinate is out of bounds", coordinates[i], `below ${extent}`);
    }
  }
  const compare = (a: number, b: number): number => {
    for (let k = 0; k < rank; k++) {
      const difference = coordinates[a * rank + k]! - coordinates[b * rank + k]!;
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const order = Uint32Array.from({ length: nnz }, (_, i) => i);
  if (!isSorted) order.sort(compare);
  for (let i = 1; i < nnz; i++) {
    const difference = compare(order[i - 1]!, order[i]!);
    const entry = coordinates.subarray(order[i]! * rank, (order[i]! + 1) * rank);
    const given = `[${entry.slice(0, 8).join(",")}]`;
    if (difference === 0) source.fail("R101", 1, order[i]! * rank, "a coordinate is there twice", given, "it once");
    if (difference > 0) source.fail("R102", 1, i * rank, "sorted coordinates descend", given, "them to ascend");
  }
  return {
    nnz,
    position: (coordinate) => {
      let [low, high] = [0, nnz];
      while (low < high) {
        const middle = (low + high) >>> 1;
        const k = shape.findIndex((_, d) => coordinates[order[middle]! * rank + d] !== coordinate[d]);
        if (k < 0) return order[middle]!;
        if (coordinates[order[middle]! * rank + k]! < coordinate[k]!) low = middle + 1;
        else high = middle;
      }
      return undefined;
    },
    ordinals: (strides) => {
      const ordinals = new Float64Array(nnz);
      for (let i = 0; i < coordinates.length; i++) {
        const entry = Math.floor(i / rank);
        ordinals[entry] = ordinals[entry]! + coordinates[i]! * strides[i % rank]!;
      }
      return ordinals;
    },
  };
}
