/**
 * Files that arrive from their front, and cannot be read anywhere else.
 *
 * @packageDocumentation
 */
export type { ByteInput } from "../bytes/feed.js";
export type { StoredItem } from "../stored.js";
export { type FilePart, type FileReceiveOptions, readFileItems } from "./read.js";
