import type { ByteWriter } from "./encoder.js";
import type { Instruction } from "./instructions.js";
import type { Complain } from "./operand-stack.js";
import type { DataReference } from "./types.js";

/** Writes the immediates of an instruction after its opcode, by their kind. */
export function writeImmediates(
  code: ByteWriter,
  [, , kind, size = 0]: Instruction,
  given: readonly unknown[],
  complain: Complain,
): void {
  switch (kind) {
    case undefined:
      return;
    case "i32":
      code.signed(integer("value", given[0], -(2 ** 31), 2 ** 32 - 1, complain));
      return;
    case "i64":
      code.signed64(given[0] as bigint);
      return;
    case "f32":
      code.float32(given[0] as number);
      return;
    case "f64":
      code.float64(given[0] as number);
      return;
    case "lane":
      code.byte(integer("lane", given[0], 0, size - 1, complain));
      return;
    case "v128":
      sixteen(code, "byte", given[0], 255, complain);
      return;
    case "shuffle":
      sixteen(code, "byte number", given[0], 31, complain);
      return;
    case "memory":
      memory(code, size, given[0] ?? 0, complain);
      return;
    case "memoryLane":
      memory(code, size, given[0], complain);
      code.byte(integer("lane", given[1], 0, 16 / size - 1, complain));
      return;
    case "memories":
      for (let i = 0; i < size; i++) code.byte(0);
      return;
    case "segment":
      code.unsigned((given[0] as DataReference).index).byte(0);
      return;
  }
}

/**
 * Alignment is a hint that changes no result, and none for the speed where vectors of floats lie at any multiple of 4:
 * the natural one is written, which atomics need.
 */
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
