import { FileForm } from "../src/file/form.js";
import { type Descriptor, encodeDescriptor, type HurraySource } from "../src/index.js";

/** What a byte of data is, by its place in the file. */
export function dataAt(position: number): number {
  return position % 251;
}

/** A file that claims any size, of which the frame alone is in memory; each byte of data follows from its place. */
export interface SparseFile extends HurraySource {
  /** What has been read: where, and how many bytes. */
  readonly reads: [start: number, byteLength: number][];
}

/** Makes a file of tensors of any size, as it would be written. */
export function sparseFile(tensors: { readonly [name: string]: Descriptor }): SparseFile {
  const form = new FileForm("sparseFile", {});
  const frame: { readonly start: number; readonly bytes: Uint8Array }[] = [];
  const put = (bytes: Uint8Array): void => void frame.push({ start: form.position - bytes.byteLength, bytes });
  put(form.begin(false));
  for (const [name, descriptor] of Object.entries(tensors)) {
    const sizes = descriptor.buffers.map(({ byteSize }) => Number(byteSize));
    for (const step of form.tensor(new TextEncoder().encode(name), encodeDescriptor(descriptor), sizes)) {
      if (typeof step !== "number") put(step);
    }
  }
  for (const bytes of form.end(undefined)) put(bytes);
  const reads: [number, number][] = [];
  const readNow = (start: number, target: Uint8Array): void => {
    reads.push([start, target.byteLength]);
    for (let k = 0; k < target.byteLength; k++) target[k] = dataAt(start + k);
    for (const piece of frame) {
      const from = Math.max(start, piece.start);
      const until = Math.min(start + target.byteLength, piece.start + piece.bytes.byteLength);
      if (from >= until) continue;
      target.set(piece.bytes.subarray(from - piece.start, until - piece.start), from - start);
    }
  };
  const slice = (start: number, end: number): Uint8Array => {
    const bytes = new Uint8Array(end - start);
    readNow(start, bytes);
    return bytes;
  };
  return { byteLength: form.position, slice, readNow, reads };
}

/** A tensor of bytes, in whatever layout. */
export function bytesTensor(shape: readonly bigint[], layout: Descriptor["layout"] = { kind: "rowMajor" }): Descriptor {
  const byteSize = shape.reduce((product, extent) => product * extent, 1n);
  const handle = { byteSize, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
  return { versionMinor: 0, typeTag: 0x11, shape, byteOffset: 0n, layout, buffers: [handle] };
}
