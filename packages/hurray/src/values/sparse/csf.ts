import { requirePointers, search } from "../integers.js";
import type { SparseIndex, SparseSource } from "./sparse-index.js";

/** One level of the tree: the children of node p are `coordinates[pointers[p]]` to `coordinates[pointers[p + 1]]`. */
interface Level {
  readonly dimension: number;
  readonly pointers: Float64Array;
  readonly coordinates: Float64Array;
}

/** A tree with a level for each dimension (4.8): R106 for the pointers, R107 for the coordinates of siblings. */
export function readCsf(source: SparseSource, modeOrder: readonly number[]): SparseIndex {
  const { nnz } = source;
  const levels: Level[] = [];
  let parents = 1;
  modeOrder.forEach((dimension, k) => {
    const level = readLevel(source, k, dimension, parents, k === modeOrder.length - 1 ? nnz : undefined);
    levels.push(level);
    parents = level.coordinates.length;
  });
  return {
    nnz,
    position: (coordinate) => {
      let node = 0;
      for (const { dimension, pointers, coordinates } of levels) {
        node = search(coordinates, pointers[node]!, pointers[node + 1]!, coordinate[dimension]!);
        if (node < 0) return undefined;
      }
      return node;
    },
    ordinals: (strides) => {
      let above = new Float64Array(1);
      for (const { dimension, pointers, coordinates } of levels) {
        const ordinals = new Float64Array(coordinates.length);
        for (let p = 0; p < above.length; p++) {
          for (let i = pointers[p]!; i < pointers[p + 1]!; i++) {
            ordinals[i] = above[p]! + coordinates[i]! * strides[dimension]!;
          }
        }
        above = ordinals;
      }
      return above;
    },
  };
}

/** How many nodes a level has only its pointers say, so room is looked for before anything is read. */
function readLevel(
  source: SparseSource,
  k: number,
  dimension: number,
  parents: number,
  end: number | undefined,
): Level {
  const [pos, crd] = [2 * k + 1, 2 * k + 2];
  const room = source.room(pos);
  if (room < parents + 1) {
    source.fail("R106", pos, room, "pos is too short", `${room} entries`, `${parents + 1}, one more than nodes above`);
  }
  const pointers = source.integers(pos, parents + 1);
  requirePointers(source.fail, "R106", pos, pointers, end);
  const nodes = pointers[parents]!;
  if (nodes > source.room(crd)) {
    source.fail("R106", pos, parents, "pos ends past the coordinates", nodes, `at most ${source.room(crd)}`);
  }
  const coordinates = source.integers(crd, nodes);
  const extent = source.shape[dimension]!;
  for (let p = 0; p < parents; p++) {
    for (let i = pointers[p]!; i < pointers[p + 1]!; i++) {
      const x = coordinates[i]!;
      if (x >= extent) source.fail("R107", crd, i, "a coordinate is out of bounds", x, `below ${extent}`);
      if (i > pointers[p]! && x <= coordinates[i - 1]!) {
        source.fail("R107", crd, i, "siblings do not ascend", x, `more than ${coordinates[i - 1]}`);
      }
    }
  }
  return { dimension, pointers, coordinates };
}
