import { type ByteFeed, type ByteInput, openFeed } from "../bytes/feed.js";
import { createBinder } from "../composite/bind.js";
import { MAGIC } from "../descriptor/header.js";
import { HurrayFormatError, HurraySourceError } from "../errors.js";
import { FILE_HEADER_LENGTH, readFileHeader, TRAILER_LENGTH } from "../file/frame.js";
import { type HurrayFile, openHurray } from "../file/reader.js";
import { countOption } from "../number-option.js";
import type { StoredItem } from "../stored.js";
import {
  checkBufferSizes,
  checkFollowed,
  type Receive,
  type ReceiveOptions,
  receiveBuffers,
  receiveDescriptor,
  receiveLimits,
} from "../stream/read.js";

/** How a file is read as it arrives. @since 0.1.0 */
export interface FileReceiveOptions extends ReceiveOptions {
  /** Bytes of metadata, index and trailer together; 256 MiB when absent. */
  readonly maximumIndexBytes?: number;
  /** Bytes that `entries` of the end may take in memory, and so may `kv` with `metadata`, as `openHurray` has it. */
  readonly maximumDecodedBytes?: number;
}

/**
 * A part of a file that has arrived: an item, with the places of its descriptors in the file, that of a head before
 * those of its members; or the end, with the names of all of them by these places.
 * What else the end tells is decoded when it is asked for.
 * @since 0.1.0
 */
export type FilePart =
  | { readonly kind: "item"; readonly item: StoredItem; readonly descriptorOffsets: readonly number[] }
  | ({ readonly kind: "end"; readonly names: ReadonlyMap<number, string> } & Pick<
      HurrayFile,
      "header" | "trailer" | "entries" | "kv" | "metadata"
    >);

type Limits = Required<Pick<FileReceiveOptions, "maximumIndexBytes">>;

const MAXIMUM_INDEX = 256 * 1024 * 1024;

/**
 * Reads a file that arrives from its front, without seeking: items in the order of the file, as soon as their last byte
 * has come; at the end what the index says of them, their names first of all, and the metadata. Between tensors zeros
 * are passed over (A18). Nothing is read before it is asked for, and an input that is left early is let go.
 *
 * @throws TypeError for what gives no chunks of bytes; TypeError, HurrayValueError `SW_HURRAY_VALUE` for wrong options.
 * @throws HurrayFormatError when a rule is broken: R155 when the file ends within a tensor, R132 before its trailer,
 * R156 beyond a maximum; items before it have been given.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` for a file whose index or metadata lie before the end of its tensors.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` as `readItems`, and for an index that takes more than `maximumDecodedBytes`.
 * @example
 * ```ts
 * import { encodeHurray, load } from "@sw/hurray";
 * import { readFileItems } from "@sw/hurray/sequential";
 * import { arange } from "@sw/tensor";
 *
 * const stream = new Blob([encodeHurray({ a: arange(2), b: arange(3) }) as BlobPart]).stream();
 * for await (const part of readFileItems(stream)) {
 *   if (part.kind === "end") console.log([...part.names.values()]);
 *   else if ("buffers" in part.item) console.log(part.descriptorOffsets, load(part.item).tensor.toArray());
 * }
 * // [ 64 ] [ 0, 1 ]
 * // [ 4104 ] [ 0, 1, 2 ]
 * // [ 'a', 'b' ]
 * ```
 * @since 0.1.0
 */
export function readFileItems(input: ByteInput, options: FileReceiveOptions = {}): AsyncIterable<FilePart> {
  const operation = options.operation ?? "readFileItems";
  const limits = {
    ...receiveLimits(operation, options),
    maximumIndexBytes: countOption(operation, "maximumIndexBytes", options.maximumIndexBytes, 0, MAXIMUM_INDEX),
  };
  // Used at the end only; what is wrong with it is said before anything is read.
  countOption(operation, "maximumDecodedBytes", options.maximumDecodedBytes, 0, 0);
  return receiveFile(openFeed(input, operation, options.signal), { ...options, ...limits });
}

async function* receiveFile(feed: ByteFeed, options: Receive & Limits): AsyncGenerator<FilePart, void, void> {
  const { operation } = options;
  const binder = createBinder(options);
  try {
    const head = await feed.take(FILE_HEADER_LENGTH);
    if (head.byteLength < FILE_HEADER_LENGTH) {
      const given = `${head.byteLength} bytes`;
      throw new HurrayFormatError(
        operation,
        "R125",
        "file",
        0,
        "the file ends within its header",
        given,
        "64 at least",
      );
    }
    // How long the file is turns out in the end.
    const header = readFileHeader(head, operation, Number.MAX_SAFE_INTEGER);
    await skipTo(feed, Number(header.firstDescriptorOffset));
    let descriptorOffsets: number[] = [];
    /** Where the last tensor ends. */
    let tensorsEnd = feed.position;
    let word = await nextWord(feed);
    for (; MAGIC.every((byte, k) => word[k] === byte); word = await nextWord(feed)) {
      const start = feed.position - word.byteLength;
      const descriptor = await receiveDescriptor(feed, options, start, word);
      checkBufferSizes(descriptor, options, start);
      binder.begin(descriptor, start);
      descriptorOffsets.push(start);
      const align = (): Promise<void> => skipTo(feed, roundedUp(feed.position, header.dataBufferAlignment));
      const item = binder.finish(await receiveBuffers(feed, descriptor, options, align));
      checkFollowed(descriptor, operation, start);
      if (item !== undefined) {
        yield { kind: "item", item, descriptorOffsets };
        descriptorOffsets = [];
      }
      tensorsEnd = feed.position;
      await skipTo(feed, roundedUp(tensorsEnd, 8));
    }
    const tailStart = feed.position - word.byteLength;
    binder.end(tailStart);
    const tail = await takeTail(feed, word, options);
    yield await readEnd(head, tensorsEnd, tailStart, tail, options);
  } finally {
    await feed.close();
  }
}

/** Passes over words of zeros; gives the 8 bytes after them, fewer at the end. */
async function nextWord(feed: ByteFeed): Promise<Uint8Array> {
  const zeros = (await feed.skipZeros()) % 8;
  return feed.take(8, new Uint8Array(zeros));
}

async function skipTo(feed: ByteFeed, position: number): Promise<void> {
  while (feed.position < position) {
    const skipped = await feed.window(position - feed.position);
    if (skipped.byteLength === 0) return;
  }
}

/** Takes what is left: metadata, index and trailer. */
async function takeTail(feed: ByteFeed, begun: Uint8Array, options: Receive & Limits): Promise<Uint8Array> {
  const { operation, maximumIndexBytes } = options;
  const tail = await feed.take(maximumIndexBytes, begun);
  if (await feed.atEnd()) return tail;
  const problem = "metadata and index are larger than is accepted";
  const given = `more than ${maximumIndexBytes} bytes`;
  const expected = `at most ${maximumIndexBytes}`;
  throw new HurrayFormatError(operation, "R156", "index_length", feed.position, problem, given, expected);
}

/** Reads the end as if the file lay there: its header, nothing where tensors were, zeros, and the tail. */
async function readEnd(
  head: Uint8Array,
  tensorsEnd: number,
  tailStart: number,
  tail: Uint8Array,
  options: Receive,
): Promise<FilePart> {
  const { operation } = options;
  const byteLength = tailStart + tail.byteLength;
  if (tail.byteLength < TRAILER_LENGTH) {
    const problem = "the end is no trailer";
    const given = `${tail.byteLength} bytes after the last tensor`;
    throw new HurrayFormatError(operation, "R132", "trailer_magic", byteLength, problem, given, `${TRAILER_LENGTH}`);
  }
  const slice = (start: number, end: number): Uint8Array => {
    if (end <= head.byteLength) return head.subarray(start, end);
    if (start < tensorsEnd) {
      const message = `${operation}: metadata or index lie where tensors are: got byte ${start}, expected ${tensorsEnd} at least. Open the file instead.`;
      throw new HurraySourceError("SW_HURRAY_SOURCE_SHORT", message, start);
    }
    const bytes = new Uint8Array(end - start);
    const from = Math.max(start, tailStart);
    if (from < end) bytes.set(tail.subarray(from - tailStart, end - tailStart), from - start);
    return bytes;
  };
  const file = await openHurray({ byteLength, slice }, options);
  const { header, trailer, entries } = file;
  const names = new Map<number, string>();
  for (const { name, descriptorOffset } of entries.values()) names.set(Number(descriptorOffset), name);
  return {
    kind: "end",
    names,
    header,
    trailer,
    entries,
    get kv() {
      return file.kv;
    },
    get metadata() {
      return file.metadata;
    },
  };
}

function roundedUp(position: number, multiple: number): number {
  return Math.ceil(position / multiple) * multiple;
}
