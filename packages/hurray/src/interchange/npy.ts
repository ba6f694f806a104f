import { type ByteFeed, type ByteInput, openFeed } from "../bytes/feed.js";
import { byteLengthOf, type ElementTypeName, elementTypeNamed } from "../elements.js";
import { HurraySourceError } from "../errors.js";
import { countOption } from "../number-option.js";
import { type HurrayInput, trySourceOf } from "../source/input.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";
import { invalid, type Task, unsupported } from "./errors.js";
import { type NpyHeader, parseNpyHeader } from "./npy-header.js";
import { outgoing, refused } from "./outgoing.js";
import { fromForeign, type Pieces, swapped, toForeign } from "./pieces.js";
import { rangePieces } from "./ranges.js";
import { countError, countOf, denseDescriptor } from "./shape.js";
import { foreignBits, TYPE_MAPPINGS } from "./types.js";

const MAGIC: readonly number[] = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** Bytes before the length of the header: what the file is, and its version. */
const LENGTH_AT = 8;
/** What the data is aligned to. */
const ALIGNMENT = 64;
/** Bytes that are taken at a time. */
const AT_ONCE = 1024 * 1024;

/** What reading npy is told. @since 0.1.0 */
export interface NpyOptions {
  /** Bytes that the header may take; 65,536 when absent. */
  readonly maximumHeaderBytes?: number;
  readonly signal?: AbortSignal;
}

/**
 * Reads an npy file, of version 1, 2 or 3: its header now, its data when its pieces are asked for, once. Big-endian numbers
 * are turned around on the way, the bytes of bools become bits. Fortran order is column-major.
 *
 * @throws TypeError for what gives no bytes.
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_INVALID` for what is no npy file, or has another length than it says, which of
 * a stream is found out at its end; `SW_HURRAY_FOREIGN_UNSUPPORTED` for a type without a counterpart.
 * @throws HurraySourceError when the source gives fewer bytes than it promised, or the data is asked for again.
 * @example
 * ```ts
 * import { npyBytes, readNpy } from "@sw/hurray/interchange";
 * import { store } from "@sw/hurray";
 * import { arange } from "@sw/tensor";
 *
 * const { descriptor } = await readNpy(npyBytes(store(arange(6).reshape([2, 3]).T)));
 * console.log(descriptor.shape, descriptor.layout); // [ 3n, 2n ] { kind: 'columnMajor' }
 * ```
 * @since 0.1.0
 */
export function readNpy(input: HurrayInput | ByteInput, options: NpyOptions = {}): Promise<StreamedTensor> {
  const task: Task = { operation: "readNpy", format: "npy" };
  const source = trySourceOf(input);
  if (source === undefined) return readNpyPieces(task, input as ByteInput, undefined, options);
  const pieces = rangePieces(source, task.operation, 0, source.byteLength, options.signal);
  return readNpyPieces(task, pieces, source.byteLength, options);
}

/** An npy file whose header has been read. */
interface OpenNpy extends StreamedTensor {
  /** Lets go of the input, where the data is not wanted. */
  close(): Promise<void>;
}

/** Reads npy from pieces; `byteLength` is that of the whole file, where it is known. @throws as `readNpy`. */
export async function readNpyPieces(
  task: Task,
  pieces: ByteInput,
  byteLength: number | undefined,
  options: NpyOptions,
): Promise<OpenNpy> {
  const feed = openFeed(pieces, task.operation, options.signal);
  try {
    const { type, isBigEndian, isColumnMajor, shape, shapeAt } = await readHeader(task, feed, options);
    const count = countOf(shape);
    if (count === undefined) throw countError(task, "shape", shapeAt, shape);
    const dataLength = BigInt(count) * BigInt(foreignBits(type) / 8);
    const end = BigInt(feed.position) + dataLength;
    if (byteLength !== undefined && BigInt(byteLength) !== end) throw anotherLength(task, feed, byteLength, end);
    const width = isBigEndian ? swapWidth(type) : 1;
    let isTaken = false;
    return {
      descriptor: denseDescriptor(type, shape, isColumnMajor, count),
      pieces: () => {
        if (isTaken) throw takenTwice(task);
        isTaken = true;
        const data = dataPieces(task, feed, Number(dataLength));
        return fromForeign(type, width === 1 ? data : swapped(data, width));
      },
      close: () => feed.close(),
    };
  } catch (error) {
    await feed.close();
    throw error;
  }
}

async function readHeader(task: Task, feed: ByteFeed, options: NpyOptions): Promise<NpyHeader> {
  const maximumHeaderBytes = countOption(task.operation, "maximumHeaderBytes", options.maximumHeaderBytes, 0, 65536);
  /** Takes bytes that have to be there. */
  const take = async (length: number, field: string): Promise<Uint8Array> => {
    const start = feed.position;
    const bytes = await feed.take(length);
    if (bytes.byteLength === length) return bytes;
    throw invalid(task, field, start, "the file ends within its header", `${bytes.byteLength} bytes`, `${length}`);
  };
  const prefix = await take(LENGTH_AT, "magic");
  if (MAGIC.some((byte, k) => prefix[k] !== byte)) {
    const given = Array.from(prefix.subarray(0, 6), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    throw invalid(task, "magic", 0, "this is no npy file", given, "93 4e 55 4d 50 59");
  }
  const [major, minor] = prefix.subarray(6);
  if (major! < 1 || major! > 3 || minor !== 0) {
    const advice = "It may be of a later version.";
    const given = `${major}.${minor}`;
    throw unsupported(task, "version", 6, "the version is not known", given, "1.0, 2.0 or 3.0", advice);
  }
  const lengthBytes = await take(major === 1 ? 2 : 4, "header_length");
  const length = lengthBytes.reduce((sum, byte, k) => sum + byte * 256 ** k, 0);
  if (length > maximumHeaderBytes) {
    const problem = "the header is longer than is accepted";
    throw invalid(task, "header_length", LENGTH_AT, problem, `${length} bytes`, `at most ${maximumHeaderBytes}`);
  }
  const start = feed.position;
  return parseNpyHeader(task, await take(length, "header"), start);
}

/** How many bytes are turned around together: those of one part of a complex number. */
function swapWidth(type: ElementTypeName): number {
  return elementTypeNamed(type).alignment;
}

async function* dataPieces(task: Task, feed: ByteFeed, length: number): AsyncGenerator<Uint8Array, void, void> {
  const end = feed.position + length;
  try {
    while (feed.position < end) {
      const piece = await feed.window(Math.min(AT_ONCE, end - feed.position));
      if (piece.byteLength === 0) throw anotherLength(task, feed, feed.position, BigInt(end));
      yield piece;
    }
    if (!(await feed.atEnd())) throw anotherLength(task, feed, `more than ${end}`, BigInt(end));
  } finally {
    await feed.close();
  }
}

/** What says that the file is not as long as its header says. */
function anotherLength(task: Task, feed: ByteFeed, given: number | string, expected: bigint): Error {
  const problem = "the file has another length than its header says";
  return invalid(task, "data", feed.position, problem, `${given} bytes`, `${expected}`);
}

function takenTwice({ operation }: Task): HurraySourceError {
  return new HurraySourceError(
    "SW_HURRAY_CLOSED",
    `${operation}: the data is given once: got a second request, expected one. Read the file again.`,
    0,
  );
}

/**
 * Writes an npy file of version 1.0, as NumPy does: little-endian, the data at a multiple of 64. Column-major tensors are
 * written in Fortran order.
 *
 * @throws TypeError for what is no tensor.
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_UNSUPPORTED` for a tensor without a counterpart.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for buffers that do not hold the elements. All of these before the first byte.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` later, when a tensor gives fewer bytes than it declares.
 * @since 0.1.0
 */
export function npyBytes(item: StoredTensor | StreamedTensor): AsyncIterable<Uint8Array> {
  return npyPieces(planNpy({ operation: "npyBytes", format: "npy" }, item));
}

/** An npy file that can be written. */
export interface NpyPlan {
  readonly header: Uint8Array;
  readonly byteLength: number;
  /** What follows the header. */
  pieces(): Pieces;
}

/** Makes an npy file ready. @throws as `npyBytes`. */
export function planNpy(task: Task, item: StoredTensor | StreamedTensor): NpyPlan {
  const { type, shape, count, isColumnMajor, pieces } = outgoing(task, item);
  const code = TYPE_MAPPINGS.find((row) => row.type === type)?.npy;
  if (code === undefined) {
    const advice = "Write it as float32: toNumbers and fromNumbers of @sw/hurray/values convert it.";
    throw refused(task, "descr", "NumPy has no such type", type, advice);
  }
  const order = code.endsWith("1") ? "|" : "<";
  const header = encodeHeader(`${order}${code}`, isColumnMajor, shape);
  const dataLength = Number(byteLengthOf(foreignBits(type), BigInt(count)));
  return {
    header,
    byteLength: header.byteLength + dataLength,
    pieces: () => toForeign(type, count, pieces()),
  };
}

/** The bytes of an npy file. */
export async function* npyPieces({ header, pieces }: NpyPlan): AsyncGenerator<Uint8Array, void, void> {
  yield header;
  yield* pieces();
}

function encodeHeader(descr: string, isColumnMajor: boolean, shape: readonly bigint[]): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const order = isColumnMajor ? "True" : "False";
  const text = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${tuple}, }`;
  const start = LENGTH_AT + 2;
  const byteLength = Math.ceil((start + text.length + 1) / ALIGNMENT) * ALIGNMENT;
  const header = new Uint8Array(byteLength).fill(0x20);
  header.set([...MAGIC, 1, 0]);
  new DataView(header.buffer).setUint16(LENGTH_AT, byteLength - start, true);
  header.set(new TextEncoder().encode(text), start);
  header[byteLength - 1] = 0x0a;
  return header;
}
