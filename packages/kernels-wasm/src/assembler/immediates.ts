import type { ByteWriter } from "./encoder.js";
import type { ImmediateArguments } from "./instructions.js";
import type { Complain } from "./operand-stack.js";

/** What the writer of immediates needs to know of an instruction. */
interface Encoding {
  readonly immediate: keyof ImmediateArguments;
  readonly bytes?: number;
  readonly lanes?: number;
}

/** Writes the immediates of an instruction after its opcode, by their kind. */
export function writeImmediates(
  code: ByteWriter,
  instruction: Encoding,
  given: readonly (number | readonly number[] | undefined)[],
  complain: Complain,
): void {
  switch (instruction.immediate) {
    case "none":
      return;
    case "i32":
      code.signed(integer("value", given[0], -(2 ** 31), 2 ** 32 - 1, complain));
      return;
    case "f32":
      code.float32(given[0] as number);
      return;
    case "f64":
      code.float64(given[0] as number);
      return;
    case "lane":
      code.byte(integer("lane", given[0], 0, instruction.lanes! - 1, complain));
      return;
    case "v128":
      sixteen(code, "byte", given[0], 255, complain);
      return;
    case "shuffle":
      sixteen(code, "byte number", given[0], 31, complain);
      return;
    case "memory":
      memory(code, instruction.bytes!, given[0] ?? 0, complain);
      return;
    case "memoryLane":
      memory(code, instruction.bytes!, given[0], complain);
      code.byte(integer("lane", given[1], 0, instruction.lanes! - 1, complain));
      return;
  }
}

/** Alignment is a hint that changes no result; the natural one is what the kernels keep. */
function memory(code: ByteWriter, bytes: number, offset: unknown, complain: Complain): void {
  code.unsigned(31 - Math.clz32(bytes)).unsigned(integer("byte offset", offset, 0, 2 ** 32 - 1, complain));
}

function sixteen(code: ByteWriter, what: string, list: unknown, most: number, complain: Complain): void {
  if (!Array.isArray(list) || list.length !== 16) {
    complain(
      `a list of the wrong length: got ${Array.isArray(list) ? list.length : typeof list}, expected 16 numbers.`,
    );
  }
  for (const item of list as readonly unknown[]) code.byte(integer(what, item, 0, most, complain));
}

function integer(what: string, value: unknown, least: number, most: number, complain: Complain): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  return complain(`${what} is out of range: got ${String(value)}, expected an integer from ${least} to ${most}.`);
}
