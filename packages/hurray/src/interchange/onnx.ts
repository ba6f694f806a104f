import { decodeText } from "../bytes/text.js";
import { byteLengthOf, type ElementTypeName, elementTypeNamed } from "../elements.js";
import type { StoredTensor } from "../stored.js";
import { packElements } from "../values/pack.js";
import { invalid, type Task, unsupported } from "./errors.js";
import { TYPED_FIELDS, typedBytes, typedField } from "./onnx-typed.js";
import { countError, countOf, denseDescriptor, MAXIMUM_RANK, rankError } from "./shape.js";
import { foreignBits, TYPE_MAPPINGS, TYPE_REFUSALS } from "./types.js";
import { BYTES, forEachField, VARINT, WireReader, type WireType } from "./wire.js";

/** A tensor of ONNX. @since 0.1.0 */
export interface OnnxTensor {
  /** The name; empty when it has none. */
  readonly name: string;
  readonly tensor: StoredTensor;
}

/** Fields of TensorProto, by their numbers. */
const DIMS = 1;
const DATA_TYPE = 2;
const SEGMENT = 3;
const STRING_DATA = 6;
const NAME = 8;
const RAW_DATA = 9;
const DATA_LOCATION = 14;
const EXTERNAL = 1;

/** What the fields of a tensor say, but for its elements. */
interface Summary {
  readonly dims: number[];
  dataType: number;
  name: string;
  /** Where the raw elements lie, where there are any. */
  raw: { readonly start: number; readonly end: number } | undefined;
  /** The fields of numbers that there are. */
  readonly typed: Set<number>;
}

/**
 * Reads a tensor of ONNX, a message of type `TensorProto`: its elements from `raw_data`, of which those of whole bytes are shared,
 * or from the field of numbers that belongs to its type.
 *
 * @throws TypeError for what is no Uint8Array.
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_INVALID` for bytes that are no such message, or whose shape and elements differ;
 * `SW_HURRAY_FOREIGN_UNSUPPORTED` for text, for elements in another file or in segments, and for types without a counterpart.
 * @example
 * ```ts
 * import { readOnnxTensor } from "@sw/hurray/interchange";
 *
 * // dims 2, data_type INT8, raw_data of two bytes, name "b"
 * const { name, tensor } = readOnnxTensor(Uint8Array.of(8, 2, 16, 3, 74, 2, 5, 251, 66, 1, 98));
 * console.log(name, tensor.descriptor.shape, new Int8Array(tensor.buffers[0]!)); // b [ 2n ] Int8Array(2) [ 5, -5 ]
 * ```
 * @since 0.1.0
 */
export function readOnnxTensor(bytes: Uint8Array): OnnxTensor {
  const operation = "readOnnxTensor";
  if (Object.prototype.toString.call(bytes) !== "[object Uint8Array]") {
    const given = bytes === null ? "null" : typeof bytes;
    throw new TypeError(`${operation}: not the bytes of a tensor: got ${given}, expected a Uint8Array.`);
  }
  const summary = summarize({ operation, format: "onnx" }, bytes);
  const { name, dims, raw } = summary;
  const task: Task = { operation, format: "onnx", ...(name !== "" && { tensorName: name }) };
  const type = typeOf(task, summary.dataType);
  const count = countOf(dims);
  if (count === undefined) throw countError(task, "dims", 0, dims);
  checkFields(task, summary, type);
  const foreign =
    raw === undefined
      ? typedBytes(task, bytes, type, count)
      : rawBytes(task, bytes.subarray(raw.start, raw.end), raw.start, type, count);
  const descriptor = denseDescriptor(type, dims, false, count);
  return { name, tensor: { descriptor, buffers: [ours(type, count, foreign)] } };
}

function summarize(task: Task, bytes: Uint8Array): Summary {
  const summary: Summary = { dims: [], dataType: 0, name: "", raw: undefined, typed: new Set() };
  const requireWire = (field: string, at: number, given: WireType, ...expected: readonly WireType[]): void => {
    if (expected.includes(given)) return;
    throw invalid(task, field, at, "the field is stored in another way", `wire type ${given}`, expected.join(" or "));
  };
  forEachField(task, bytes, (field, wire, start, end) => {
    if (TYPED_FIELDS[field] !== undefined) {
      summary.typed.add(field);
    } else if (field === DIMS) {
      requireWire("dims", start, wire, VARINT, BYTES);
      readDims(task, new WireReader(task, bytes, start, end), summary.dims);
    } else if (field === DATA_TYPE) {
      requireWire("data_type", start, wire, VARINT);
      summary.dataType = new WireReader(task, bytes, start, end).count("data_type");
    } else if (field === NAME) {
      requireWire("name", start, wire, BYTES);
      const name = decodeText(bytes.subarray(start, end));
      if (name === undefined) throw invalid(task, "name", start, "the name is no text", "bytes", "UTF-8");
      summary.name = name;
    } else if (field === RAW_DATA) {
      requireWire("raw_data", start, wire, BYTES);
      summary.raw = { start, end };
    } else if (field === DATA_LOCATION) {
      requireWire("data_location", start, wire, VARINT);
      if (new WireReader(task, bytes, start, end).count("data_location") === EXTERNAL) {
        const advice =
          "Put them in: onnx.external_data_helper.load_external_data_for_model, then save the model whole.";
        throw unsupported(
          task,
          "data_location",
          start,
          "the elements are in another file",
          "EXTERNAL",
          "DEFAULT",
          advice,
        );
      }
    } else if (field === SEGMENT) {
      throw unsupported(
        task,
        "segment",
        start,
        "the tensor is a segment of another",
        "a segment",
        "a whole tensor",
        "",
      );
    } else if (field === STRING_DATA) {
      throw unsupported(task, "string_data", start, "text has no counterpart", "text", "numbers", "");
    }
  });
  return summary;
}

function readDims(task: Task, reader: WireReader, dims: number[]): void {
  while (!reader.atEnd) {
    const at = reader.position;
    dims.push(reader.count("dims"));
    if (dims.length > MAXIMUM_RANK) throw rankError(task, "dims", at, `more than ${MAXIMUM_RANK}`);
  }
}

function typeOf(task: Task, dataType: number): ElementTypeName {
  const type = TYPE_MAPPINGS.find(({ onnx }) => onnx?.[0] === dataType)?.type;
  if (type !== undefined) return type;
  const row = TYPE_REFUSALS.find(({ format, name }) => format === "onnx" && name.endsWith(`(${dataType})`));
  const problem = `the type has no counterpart: ${row?.reason ?? "it is of no known meaning"}`;
  const advice = row?.advice ?? "It may be of a later version: cast it to FLOAT first.";
  throw unsupported(task, "data_type", 0, problem, row?.name ?? dataType, "a type of numbers", advice);
}

/** Refuses elements in two fields, or in the field of another type. */
function checkFields(task: Task, { raw, typed }: Summary, type: ElementTypeName): void {
  const expected = typedField(type);
  for (const field of typed) {
    if (raw === undefined && field === expected) continue;
    const problem = raw === undefined ? `elements of ${type} are in another field` : "the elements are in two fields";
    const { name } = TYPED_FIELDS[field]!;
    throw invalid(task, name, 0, problem, name, raw === undefined ? TYPED_FIELDS[expected]!.name : "raw_data alone");
  }
}

/** Takes raw elements, which have to be as many bytes as the shape asks for. */
function rawBytes(task: Task, bytes: Uint8Array, at: number, type: ElementTypeName, count: number): Uint8Array {
  const length = Math.ceil((count * foreignBits(type)) / 8);
  if (bytes.byteLength === length) return bytes;
  const expected = `${length} for ${count} elements of ${type}`;
  throw invalid(task, "raw_data", at, "the elements have another length", `${bytes.byteLength} bytes`, expected);
}

/** Makes the bytes ours: those of a bool become bits, groups of six bits become whole. */
function ours(type: ElementTypeName, count: number, bytes: Uint8Array): Uint8Array {
  const length = Number(byteLengthOf(elementTypeNamed(type).bits, BigInt(count)));
  if (type !== "bool" && bytes.byteLength === length) return bytes;
  const target = new Uint8Array(length);
  if (type === "bool") packElements("bool", bytes, target);
  else target.set(bytes);
  return target;
}
