import type { IndexMap } from "../src/maps.js";

type Map2 = Pick<IndexMap, "shape"> & { index(coordinate: unknown): number };

/** Hilbert's curve on n × n cells, n a power of two: which quarter, then the same in that quarter, turned. */
export function hilbert(n: number): Map2 {
  const walk = (size: number, row: number, column: number): number => {
    if (size === 1) return 0;
    const half = size / 2;
    const [r, c] = [row % half, column % half];
    const area = half * half;
    if (row < half && column < half) return walk(half, c, r);
    if (row < half) return area + walk(half, r, c);
    if (column >= half) return 2 * area + walk(half, r, c);
    return 3 * area + walk(half, half - 1 - c, half - 1 - r);
  };
  return { shape: [n, n], index: (coordinate) => walk(n, ...(coordinate as [number, number])) };
}

/** Eight rows of eight, in each of which the columns are exchanged by the number of the row. */
export const swizzled: Map2 = {
  shape: [8, 8],
  index: (coordinate) => {
    const [row, column] = coordinate as [number, number];
    return row * 8 + (column ^ row);
  },
};
