/**
 * The register block of the float32 product: rows by columns. V8 has 15 vector registers for wasm; 5 × 8 takes ten
 * accumulators, two vectors of B, one splat of A and one product, and the next larger block spills.
 */
export const TILE_ROWS = 5;
export const TILE_COLUMNS = 8;
/** Rows of the block where multiplying and adding is one instruction, which leaves a register for more sums. */
export const FUSED_TILE_ROWS = 6;

/** Depth of a block: one panel of B (8 KiB) stays in the first-level cache. Bounds the rounding error too. */
export const BLOCK_DEPTH = 256;
/** Rows of a block of A: 120 KiB when packed, for the second-level cache. A multiple of both TILE_ROWS. */
export const BLOCK_ROWS = 120;
/** Columns of a block of B: 1 MiB when packed. A multiple of TILE_COLUMNS. */
export const BLOCK_COLUMNS = 1024;

/** Bytes of working memory for packed A, packed B, and one tile, the largest, in this order. */
export const PACKED_A_BYTES: number = BLOCK_ROWS * BLOCK_DEPTH * 4;
export const PACKED_B_BYTES: number = BLOCK_COLUMNS * BLOCK_DEPTH * 4;
export const TILE_BYTES: number = FUSED_TILE_ROWS * TILE_COLUMNS * 4;

/** The size of equal blocks, none above `most`, in whole tiles (`most` is whole tiles). */
export function blockSize(extent: number, most: number, tile: number): number {
  const blocks = Math.max(1, Math.ceil(extent / most));
  return Math.ceil(extent / blocks / tile) * tile;
}
