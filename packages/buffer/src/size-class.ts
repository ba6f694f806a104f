import { checkByteLength, MAX_BUFFER_BYTES } from "./size.js";

/** How many size classes there are: 64, 128, 192, 256, then four per power of two. */
export const SIZE_CLASSES = 96;

/**
 * Numbers the size class of a request: 0 for up to 64 bytes, then one more per class.
 *
 * @throws TypeError when `byteLength` is not an integer.
 * @throws BufferSizeError `SW_BUFFER_SIZE` outside 0 to 2³¹−1.
 * @since 0.1.0
 */
export function sizeClassIndex(byteLength: number): number {
  checkByteLength("sizeClassIndex", byteLength);
  return classIndex(byteLength);
}

/**
 * Finds the bytes that the size class of a request has (OneModel section 6): multiples of 64
 * up to 256, then 1.25, 1.5, 1.75 and 2 times the largest power of two below the request.
 * The last class would be 2³¹ bytes, past the limit of a buffer, and is capped at 2³¹−1.
 *
 * @throws TypeError when `byteLength` is not an integer.
 * @throws BufferSizeError `SW_BUFFER_SIZE` outside 0 to 2³¹−1.
 * @since 0.1.0
 */
export function sizeClassOf(byteLength: number): number {
  checkByteLength("sizeClassOf", byteLength);
  return classBytes(classIndex(byteLength));
}

/** The class of a checked request. */
export function classIndex(byteLength: number): number {
  if (byteLength <= 256) return byteLength === 0 ? 0 : (byteLength - 1) >>> 6;
  // The top bit of n−1 is the power of two below n; the two bits after it tell the quarter.
  const zeros = Math.clz32(byteLength - 1);
  return ((24 - zeros) << 2) + (((byteLength - 1) >>> (29 - zeros)) & 3);
}

/** The bytes of a class. */
export function classBytes(index: number): number {
  if (index < 4) return (index + 1) * 64;
  const quarter = 2 ** ((index >> 2) + 5);
  return Math.min(quarter * (5 + (index & 3)), MAX_BUFFER_BYTES);
}
