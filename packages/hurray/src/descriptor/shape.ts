/** The size of a dimension that is not known when the descriptor is written. @since 0.1.0 */
export const DYNAMIC: bigint = 0xffffffffffffffffn;

/** Tells whether a dimension is still to be supplied. @since 0.1.0 */
export function isDynamic(shape: readonly bigint[]): boolean {
  return shape.includes(DYNAMIC);
}

/** Counts elements exactly: 1 for a scalar, 0 when a dimension is 0, `undefined` while one is dynamic. @since 0.1.0 */
export function elementCount(shape: readonly bigint[]): bigint | undefined {
  if (isDynamic(shape)) return undefined;
  let count = 1n;
  for (const extent of shape) count *= extent;
  return count;
}
