import { complementIn } from "../complement.js";
import type { Layout } from "../layout.js";
import { type IntTree, leaves } from "../tree.js";

/** One axis of a picture, by ordinal. */
export interface Side {
  readonly extent: number;
  /** The weight of the line before each ordinal: 0 for none, and more the more it encloses. */
  readonly lines: readonly number[];
  /** The weight of its heaviest line. */
  readonly weight: number;
  /** The number of the tile that each ordinal is in. */
  readonly tiles: readonly number[];
}

/**
 * Makes the sides of a picture, one per mode of a shape.
 *
 * Lines part the blocks of nested modes, the innermost with weight 1, and then the tiles, heavier than all of those.
 * The tiles of a side without one are its innermost blocks.
 */
export function sidesOf(operation: string, modes: readonly IntTree[], tiles: readonly (Layout | null)[]): Side[] {
  const nests = modes.map(nestOf);
  const heaviest = 1 + nests.reduce((most, nest) => Math.max(most, nest.weight), 0);
  return nests.map(({ lines, weight, block }, k) => {
    const extent = lines.length;
    const tile = tiles[k] ?? null;
    if (tile === null) return { extent, lines, weight, tiles: lines.map((_, x) => Math.floor(x / block)) };
    complementIn(operation, tile, extent, true); // refuses what does not tile
    const numbers = tileNumbers(tile, extent);
    const isBorder = (x: number): boolean => x > 0 && numbers[x] !== numbers[x - 1];
    return {
      extent,
      lines: lines.map((line, x) => (isBorder(x) ? heaviest : line)),
      weight: numbers.some((_, x) => isBorder(x)) ? heaviest : weight,
      tiles: numbers,
    };
  });
}

/** The lines of a nested mode, the weight of the heaviest, and the extent of its innermost block. */
function nestOf(mode: IntTree): { lines: number[]; weight: number; block: number } {
  const extents = leaves(mode).filter((extent) => extent !== 1);
  if (extents.includes(0)) return { lines: [], weight: 0, block: 1 };
  // Built up leaf by leaf: each repeats what is there, behind a line that weighs more than those inside.
  let lines = [0];
  for (let weight = 0; weight < extents.length; weight++) {
    const block = lines;
    lines = [];
    for (let i = 0; i < extents[weight]!; i++) {
      for (let j = 0; j < block.length; j++) lines.push(j === 0 && i > 0 ? weight : block[j]!);
    }
  }
  return { lines, weight: Math.max(0, extents.length - 1), block: extents[0] ?? 1 };
}

/**
 * Numbers the tiles that cover an axis by where they start.
 *
 * Strides and spans of a tile divide each other, or it has no complement; so each of its leaves is a digit of the
 * coordinate, and what is left without those digits is where the tile starts.
 */
function tileNumbers(tile: Layout, extent: number): number[] {
  const extents = leaves(tile.shape);
  const strides = leaves(tile.stride);
  const numbers = new Map<number, number>();
  return Array.from({ length: extent }, (_, x) => {
    let start = x;
    for (let k = 0; k < extents.length; k++) {
      const stride = strides[k]!;
      if (extents[k]! > 1 && stride > 0) start -= (Math.floor(x / stride) % extents[k]!) * stride;
    }
    const number = numbers.get(start) ?? numbers.size;
    numbers.set(start, number);
    return number;
  });
}
