import { compareBytes, encodeText } from "../bytes/text.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";
import type { Task } from "./errors.js";
import { type NamedTensors, takeNamed } from "./named.js";
import { type Outgoing, outgoing, refused } from "./outgoing.js";
import { toForeign } from "./pieces.js";
import { HEADER_START, METADATA } from "./safetensors-header.js";
import { foreignBits, TYPE_MAPPINGS } from "./types.js";

/** What writing safetensors is told. @since 0.1.0 */
export interface SafetensorsWriteOptions {
  readonly metadata?: ReadonlyMap<string, string> | { readonly [key: string]: string };
}

/**
 * Writes a safetensors file, piece by piece: the descriptors are looked at twice, the bytes once. The bytes are those that
 * the reference writes: larger types come first, so that all are aligned, then names in the order of their UTF-8.
 *
 * @throws TypeError for what is no tensor, and for metadata that is no text.
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_UNSUPPORTED` for a tensor without a counterpart.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for names that are taken, reserved or no text. All of these before the first byte.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` later, when a tensor gives fewer bytes than it declares.
 * @since 0.1.0
 */
export function safetensorsBytes(
  entries: NamedTensors,
  options: SafetensorsWriteOptions = {},
): AsyncIterable<Uint8Array> {
  const operation = "safetensorsBytes";
  const tensors = takeNamed(operation, entries, { reserved: METADATA }).map(({ name, nameBytes, item }) => ({
    name,
    nameBytes,
    ...plan({ operation, format: "safetensors", tensorName: name }, item),
  }));
  tensors.sort((a, b) => b.order - a.order || compareBytes(a.nameBytes, b.nameBytes));
  const header = encodeHeader(operation, tensors, options);
  return generate(header, tensors);
}

interface Planned extends Outgoing {
  readonly name: string;
  readonly dtype: string;
  readonly byteLength: number;
}

async function* generate(header: Uint8Array, tensors: readonly Planned[]): AsyncGenerator<Uint8Array, void, void> {
  yield header;
  for (const { type, count, pieces } of tensors) yield* toForeign(type, count, pieces());
}

function plan(task: Task, item: StoredTensor | StreamedTensor) {
  const tensor = outgoing(task, item);
  const { type, count } = tensor;
  const order = TYPE_MAPPINGS.findIndex((row) => row.type === type);
  const dtype = TYPE_MAPPINGS[order]?.safetensors;
  if (dtype === undefined) {
    const advice = "Write it as another type: toNumbers and fromNumbers of @sw/hurray/values convert it.";
    throw refused(task, "dtype", "safetensors has no such type", type, advice);
  }
  if (tensor.isColumnMajor) {
    const advice = 'Write relayout(item, { kind: "rowMajor" }) of @sw/hurray/values.';
    throw refused(task, "layout", "safetensors is row-major", "columnMajor", advice);
  }
  const byteLength = (count * foreignBits(type)) / 8;
  if (!Number.isInteger(byteLength)) {
    const given = `${count} elements of ${type}`;
    throw refused(task, "shape", "the elements fill no whole byte", given, "Write it as another type.");
  }
  return { ...tensor, order, dtype, byteLength };
}

function encodeHeader(
  operation: string,
  tensors: readonly Planned[],
  { metadata }: SafetensorsWriteOptions,
): Uint8Array {
  const fields: string[] = [];
  if (metadata !== undefined) fields.push(`"${METADATA}":${encodeMetadata(operation, metadata)}`);
  let end = 0;
  for (const { name, dtype, shape, byteLength } of tensors) {
    const start = end;
    end += byteLength;
    fields.push(
      `${JSON.stringify(name)}:{"dtype":"${dtype}","shape":[${shape.join()}],"data_offsets":[${start},${end}]}`,
    );
  }
  const json = new TextEncoder().encode(`{${fields.join()}}`);
  const length = Math.ceil(json.byteLength / 8) * 8;
  const header = new Uint8Array(HEADER_START + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(json, HEADER_START);
  return header;
}

function encodeMetadata(operation: string, metadata: NonNullable<SafetensorsWriteOptions["metadata"]>): string {
  const entries: readonly (readonly [string, string])[] =
    Symbol.iterator in metadata ? [...(metadata as ReadonlyMap<string, string>)] : Object.entries(metadata);
  const fields = entries.map(([key, value]) => {
    encodeText(key, operation, "metadata key");
    encodeText(value, operation, "metadata value");
    return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
  });
  return `{${fields.join()}}`;
}
