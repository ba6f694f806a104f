import { quote } from "../bytes/quote.js";
import type { HurrayForeignError } from "../errors.js";
import { invalid, type Task, unsupported } from "./errors.js";
import { HEADER_START, type SafetensorsHeader, type TensorEntry } from "./safetensors-header.js";
import { countError, countOf } from "./shape.js";
import { safetensorsBits, TYPE_MAPPINGS } from "./types.js";

/** Bytes from `start` to before `end`. */
export interface Gap {
  readonly start: number;
  readonly end: number;
}

/**
 * Checks what a header says of each tensor against the data that there is, and that together they cover it once. Gives the
 * bytes that none covers, relative to the data.
 */
export function checkHeader(task: Task, header: SafetensorsHeader, dataLength: number, allowGaps: boolean): Gap[] {
  for (const entry of header.entries.values()) checkEntry(task, header, entry, dataLength);
  return gapsOf(task, header, dataLength, allowGaps);
}

/** Checks the fields of a tensor against each other and against the bytes of data that there are. */
function checkEntry(task: Task, { byteOffset }: SafetensorsHeader, entry: TensorEntry, dataLength: number): void {
  const { dtype, shape, start, end, dtypeAt, shapeAt } = entry;
  const named = (): Task => ({ ...task, tensorName: entry.name });
  const wrongRange = (problem: string, given: number, expected: string): HurrayForeignError =>
    invalid(named(), "data_offsets", byteOffset(entry.rangeAt), problem, given, expected);
  const bits = safetensorsBits(dtype);
  if (bits === undefined) {
    const expected = `one of ${TYPE_MAPPINGS.flatMap(({ safetensors }) => safetensors ?? []).join(", ")}`;
    const advice = "It may be of a later version: save it as F32.";
    throw unsupported(named(), "dtype", byteOffset(dtypeAt), "the type is not known", quote(dtype), expected, advice);
  }
  if (end < start) throw wrongRange("the end is before the begin", end, `at least ${start}`);
  if (end > dataLength) throw wrongRange("the range goes past the end of the data", end, `at most ${dataLength}`);
  const count = countOf(shape);
  if (count === undefined) throw countError(named(), "shape", byteOffset(shapeAt), shape);
  const needed = BigInt(count) * BigInt(bits);
  if (needed % 8n !== 0n) {
    const given = `[${shape}] of ${dtype}`;
    const problem = "the elements fill no whole byte";
    throw invalid(named(), "shape", byteOffset(shapeAt), problem, given, "a multiple of 8 bits");
  }
  if (BigInt(end - start) === needed / 8n) return;
  throw wrongRange("the range has another length", end - start, `${needed / 8n} for shape [${shape}] of ${dtype}`);
}

/** Finds bytes that no tensor covers, and refuses them unless they are allowed; tensors that overlap are always refused. */
function gapsOf(task: Task, { entries, byteOffset }: SafetensorsHeader, dataLength: number, allow: boolean): Gap[] {
  const gaps: Gap[] = [];
  let covered = 0;
  let last: TensorEntry | undefined;
  const wrongRange = (
    entry: TensorEntry | undefined,
    problem: string,
    given: unknown,
    expected: string,
    advice = "",
  ) => {
    const at = entry === undefined ? HEADER_START : byteOffset(entry.rangeAt);
    return invalid({ ...task, tensorName: entry?.name }, "data_offsets", at, problem, given, expected, { advice });
  };
  const reach = (start: number, entry: TensorEntry | undefined): void => {
    if (start === covered) return;
    if (start < covered) {
      throw wrongRange(entry, `the range overlaps that of ${quote(last!.name)}`, start, `at least ${covered}`);
    }
    gaps.push({ start: covered, end: start });
    if (allow) return;
    const given = `bytes ${covered} to ${start} of the data`;
    throw wrongRange(
      entry,
      "no tensor covers some bytes",
      given,
      "none",
      "Set allowGaps to read the file all the same.",
    );
  };
  for (const entry of [...entries.values()].sort((a, b) => a.start - b.start || a.end - b.end)) {
    reach(entry.start, entry);
    covered = entry.end;
    last = entry;
  }
  reach(dataLength, last);
  return gaps;
}
