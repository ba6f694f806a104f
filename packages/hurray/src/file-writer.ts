import { type DType, isTensor, type Tensor } from "@sw/tensor";
import { live } from "@sw/tensor/seam";
import { abortable } from "./bytes/abortable.js";
import { quote } from "./bytes/quote.js";
import { type Binder, checkComposite, createBinder } from "./composite/bind.js";
import { encodeDescriptor } from "./descriptor/descriptor.js";
import type { Descriptor, LayoutKind } from "./descriptor/types.js";
import { HurraySourceError, HurrayValueError } from "./errors.js";
import { encodeName, FileForm } from "./file/form.js";
import { type KvEntry, writeKv } from "./file/kv.js";
import { type MetadataInput, typedMetadata } from "./file/metadata.js";
import { type ByteSink, type Outlet, outletOf } from "./file/sinks.js";
import { exact } from "./placement.js";
import { planStore, type StorePlan } from "./store.js";
import type { StoredItem, StoredTensor, StreamedTensor } from "./stored.js";
import { countedPieces } from "./stream/counted.js";
import { checkItem, checkSendable, type SendOptions } from "./stream/parts.js";

/** How one tensor was saved. @since 0.1.0 */
export interface SavedTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly layout: LayoutKind;
  readonly byteLength: number;
  /** Whether it was packed into a row-major copy first, because of gaps, repeated elements, or a layout without a name. */
  readonly packed: boolean;
}

/** How far the bytes of one tensor have come. @since 0.1.0 */
export interface WriteProgress {
  readonly name: string;
  /** Bytes of its buffers that the sink has taken. */
  readonly bytes: number;
  readonly totalBytes: number;
}

/** What is fixed before the first byte of a file, and who hears of what is written. @since 0.1.0 */
export interface FileWriterOptions extends SendOptions {
  /**
   * What the file says of itself, as plain values or as `kv` of another file; numbers become float64, bigints int64. More
   * may come with `finish`: `{}` announces it in the header. Metadata that the header does not announce is found nevertheless.
   */
  readonly metadata?: MetadataInput | readonly KvEntry[];
  /** What the start of every buffer is a multiple of, a power of two from 4096 to 2097152; 4096 when absent. */
  readonly dataBufferAlignment?: number;
  /** Whether the index is written in the order of the bytes of names, for lookups by halving; in the order of writing when absent. */
  readonly sortedIndex?: boolean;
  /** A hint for readers without random access. */
  readonly tensorCountHint?: bigint;
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Told how each tensor was saved, once the sink has it. */
  readonly onTensor?: (saved: SavedTensor) => void;
  /** What begins the messages of errors. */
  readonly operation?: string;
}

/** How one item is added. @since 0.1.0 */
export interface AddOptions {
  /** Names the members of a composite after its head; `head/0`, `head/1` and so on when absent. */
  readonly memberName?: (head: string, member: number) => string;
  readonly signal?: AbortSignal;
}

/** Bytes handed to a sink at a time. */
const CHUNK = 1024 * 1024;

/**
 * Writes a Hurray file front to back, one item after the other, holding none: a small record of each is kept for the
 * index. Calls are taken in their order; a promise settles when the sink has the bytes. What is wrong with an item is
 * said before a byte of it is written, and the writer goes on; an error after that aborts the sink.
 *
 * @example
 * ```ts
 * import { FileWriter, openHurray } from "@sw/hurray";
 * import { arange } from "@sw/tensor";
 *
 * const chunks: Uint8Array[] = [];
 * const writer = new FileWriter({ write: (bytes) => void chunks.push(bytes.slice()) }); // or a WritableStream
 * for (let step = 0; step < 3; step++) await writer.add(`step ${step}`, arange(step));
 * await writer.finish({ steps: 3n });
 * const file = await openHurray(await new Blob(chunks as BlobPart[]).arrayBuffer());
 * console.log(file.names(), file.metadata); // [ 'step 0', 'step 1', 'step 2' ] { steps: 3n }
 * ```
 * @since 0.1.0
 */
export class FileWriter {
  readonly operation: string;
  readonly options: FileWriterOptions;
  /** @internal */
  readonly outlet: Outlet;
  /** @internal */
  readonly form: FileForm;
  /** @internal */
  readonly binder: Binder;
  /** @internal */
  readonly names: Set<string> = new Set();
  /** @internal */
  state: "open" | "finished" | "aborted" = "open";
  /** Why it was aborted. @internal */
  reason: unknown;
  /** The end of the calls so far. @internal */
  last: Promise<unknown> = Promise.resolve();
  /** Ends what is waited for when the file is given up. @internal */
  readonly giveUp: AbortController = new AbortController();
  /** Whether the sink has a part of something whose rest it does not have. @internal */
  isTorn = false;

  /**
   * @throws TypeError for what is no sink, and metadata of no type.
   * @throws HurrayValueError `SW_HURRAY_VALUE` for metadata or an alignment that the format cannot hold.
   */
  constructor(sink: ByteSink | WritableStream<Uint8Array>, options: FileWriterOptions = {}) {
    this.operation = options.operation ?? "FileWriter";
    this.options = options;
    this.form = new FileForm(this.operation, options);
    writeKv(metadataEntries(options.metadata ?? {}, this.operation), this.operation);
    this.binder = createBinder({ operation: this.operation });
    this.outlet = outletOf(sink, this.operation);
  }

  /** Bytes written so far. */
  get byteLength(): number {
    return this.form.position;
  }

  /**
   * Appends a tensor, a stored item, or a tensor that comes in pieces. A composite goes with all its members; the head
   * of one may also come alone, as `{ descriptor, buffers: [] }`, its members with calls of their own after it. What is
   * added may not be written to before the promise settles.
   *
   * @throws TypeError, StaleTensorError, UnsupportedError for what is no live tensor of one part and no stored item.
   * @throws HurrayFormatError when a descriptor or a composite breaks a rule.
   * @throws HurrayValueError `SW_HURRAY_VALUE` for a name that the format cannot hold or that another tensor has, for
   * buffers and pieces of other lengths than the descriptor says, and for an opaque descriptor.
   * @throws HurrayUnsupportedError `SW_HURRAY_DYNAMIC_UNSUPPORTED` for dynamic dimensions, unless allowed.
   * @throws HurraySourceError `SW_HURRAY_CHANGED` when a tensor is written to meanwhile, `SW_HURRAY_CLOSED` after the end.
   */
  async add(name: string, item: Tensor | StoredItem | StreamedTensor, options: AddOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const parts = this.prepare(name, item, options);
    for (const part of parts) this.names.add(part.name);
    await this.turn(async () => {
      try {
        await this.begin();
        for (const part of parts) await this.write(part, options.signal);
      } catch (error) {
        for (const part of parts) this.names.delete(part.name);
        throw error;
      }
    });
  }

  /**
   * Writes metadata, index and trailer, and closes the sink.
   *
   * @throws TypeError, HurrayValueError for metadata that the format cannot hold.
   * @throws HurrayFormatError R121 while a composite waits for members.
   * @throws HurraySourceError `SW_HURRAY_CLOSED` after the end.
   */
  async finish(metadata: MetadataInput | readonly KvEntry[] = {}): Promise<{ readonly byteLength: number }> {
    const { operation } = this;
    const announced = this.options.metadata;
    const entries = [...metadataEntries(announced ?? {}, operation), ...metadataEntries(metadata, operation)];
    const kv = announced === undefined && entries.length === 0 ? undefined : writeKv(entries, operation);
    return this.turn(async () => {
      await this.begin();
      this.binder.end(this.form.position);
      for (const bytes of this.form.end(kv)) await this.emit(bytes, true);
      await this.outlet.close();
      this.checkOpen(); // it may have been given up meanwhile
      this.state = "finished";
      return { byteLength: this.form.position };
    });
  }

  /** Gives the file up, at once, and tells the sink why. Nothing after the end. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state !== "open") return;
    this.state = "aborted";
    this.reason = reason;
    this.giveUp.abort(this.ended());
    await this.outlet.abort(reason);
  }

  /** Gives the file up unless it is finished, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.abort(this.ended());
  }

  /** Checks an item and lists its tensors and heads, each before its members. @internal */
  prepare(name: string, item: Tensor | StoredItem | StreamedTensor, options: AddOptions): Part[] {
    this.checkOpen();
    const { operation } = this;
    const parts: Part[] = [];
    const take = (partName: string): Pick<Part, "name" | "nameBytes"> => {
      const nameBytes = encodeName(partName, operation);
      if (this.names.has(partName) || parts.some((part) => part.name === partName)) {
        throw new HurrayValueError(
          operation,
          "name",
          "two tensors have the same name",
          quote(partName),
          "another name",
        );
      }
      return { name: partName, nameBytes };
    };
    if (isTensor(item)) {
      const own = `${operation} ${quote(name)}`;
      live(item, own);
      const { version } = item.buffer;
      return [{ ...take(name), open: () => openTensor(name, item, planStore(item, own, version)) }];
    }
    if (typeof item !== "object" || item === null || !("descriptor" in item)) live(item, operation);
    checkItem(item, operation);
    if ("members" in item) checkComposite(item, operation);
    const flatten = (partName: string, part: StoredItem | StreamedTensor): void => {
      const { descriptor } = part;
      const bytes = encodeDescriptor(descriptor, operation);
      checkSendable(part, operation, this.options);
      const pieces = "members" in part ? () => [] : "buffers" in part ? bufferOf(part) : part.pieces.bind(part);
      parts.push({ ...take(partName), open: () => ({ descriptor, bytes, isOwn: false, pieces }) });
      if (!("members" in part)) return;
      const { memberName = (head, member) => `${head}/${member}` } = options;
      for (const [k, member] of part.members.entries()) flatten(memberName(partName, k), member);
    };
    flatten(name, item);
    return parts;
  }

  /** Writes a tensor, or the head of a composite. @internal */
  async write(part: Part, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { name, nameBytes } = part;
    const tensor = part.open();
    try {
      const { descriptor, bytes } = tensor;
      const sizes = descriptor.buffers.map(({ byteSize }) => exact(this.operation, "the bytes of a buffer", byteSize));
      const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
      this.binder.begin(descriptor, this.form.position);
      this.isTorn = true; // the composite counts it from here on
      this.binder.finish([]);
      let done = 0;
      for (const step of this.form.tensor(nameBytes, bytes, sizes)) {
        if (typeof step !== "number") await this.emit(step, true);
        else
          for await (const piece of countedPieces(tensor.pieces(step), {
            operation: this.operation,
            owner: ` of ${quote(name)}`,
            buffer: step,
            byteLength: sizes[step]!,
            signals: [signal, this.giveUp.signal],
          })) {
            for (let start = 0; start < piece.byteLength; start += CHUNK) {
              const chunk = piece.subarray(start, start + CHUNK);
              await this.emit(chunk, tensor.isOwn);
              done += chunk.byteLength;
              this.options.onProgress?.({ name, bytes: done, totalBytes });
            }
          }
      }
      if (tensor.saved !== undefined) this.options.onTensor?.(tensor.saved);
    } finally {
      tensor.dispose?.();
    }
  }

  /** Does a thing when all before it is done; an error that leaves half of it behind is the end of the file. @internal */
  turn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(async () => {
      this.checkOpen();
      try {
        const value = await work();
        this.isTorn = false;
        return value;
      } catch (error) {
        // What went wrong first is what is told.
        if (this.isTorn) await this.abort(error).catch(() => {});
        throw error;
      }
    });
    this.last = result.catch(() => {});
    return result;
  }

  /** @internal */
  async begin(): Promise<void> {
    if (this.form.position > 0) return;
    await this.emit(this.form.begin(this.options.metadata !== undefined), true);
    this.isTorn = false;
  }

  /** @internal */
  async emit(bytes: Uint8Array, isOwn: boolean): Promise<void> {
    this.isTorn = true;
    await abortable(Promise.resolve(this.outlet.write(bytes, isOwn)), this.giveUp.signal);
    this.checkOpen();
  }

  /** @internal */
  checkOpen(): void {
    if (this.state !== "open") throw this.ended();
  }

  /** @internal */
  ended(): HurraySourceError {
    const what = this.state === "open" ? "left before its end" : this.state;
    const message = `${this.operation}: the file is ${what}: got ${this.names.size} tensors, expected no more. Begin another.`;
    const error = new HurraySourceError("SW_HURRAY_CLOSED", message, this.form.position);
    if (this.reason !== undefined) error.cause = this.reason;
    return error;
  }
}

/** A tensor or a head on its way into a file. */
interface Part {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  /** Called when its turn has come. */
  open(): OpenPart;
}

interface OpenPart {
  readonly descriptor: Descriptor;
  /** The descriptor in the bytes of the format. */
  readonly bytes: Uint8Array;
  /** Whether pieces are copies that nobody else has. */
  readonly isOwn: boolean;
  pieces(buffer: number): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  readonly saved?: SavedTensor;
  dispose?(): void;
}

/** Copies piece by piece: memory may move while a sink is at work. */
function openTensor(name: string, tensor: Tensor, plan: StorePlan): OpenPart {
  const { descriptor, byteLength } = plan;
  function* pieces(): Generator<Uint8Array, void, void> {
    for (let start = 0; start < byteLength; start += CHUNK) {
      yield plan.bytes(start, Math.min(start + CHUNK, byteLength)).slice();
    }
  }
  return {
    descriptor,
    bytes: encodeDescriptor(descriptor, name),
    isOwn: true,
    pieces,
    saved: savedTensor(name, tensor, plan),
    dispose: () => plan.dispose(),
  };
}

/** Tells how a tensor is saved. */
export function savedTensor(name: string, tensor: Tensor, plan: StorePlan): SavedTensor {
  const { byteLength, packed } = plan;
  return { name, dtype: tensor.dtype, layout: plan.descriptor.layout.kind, byteLength, packed };
}

function bufferOf({ buffers }: StoredTensor): (buffer: number) => readonly Uint8Array[] {
  return (buffer) => [buffers[buffer]!];
}

/** Takes metadata as plain values, or as a file gives it. */
export function metadataEntries(metadata: MetadataInput | readonly KvEntry[], operation: string): readonly KvEntry[] {
  if (Array.isArray(metadata)) return metadata as readonly KvEntry[];
  checkRecord(operation, "metadata", metadata);
  return typedMetadata(metadata as MetadataInput, operation);
}

/** A `Map` has no properties: its content would be lost without a word. */
export function checkRecord(operation: string, what: string, value: unknown): void {
  if (typeof value === "object" && value !== null && !(Symbol.iterator in value)) return;
  const given = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  throw new TypeError(
    `${operation}: the ${what} are not given by name: got ${given}, expected an object like { name: value }. Use Object.fromEntries for a Map.`,
  );
}
