import { type Descriptor, elementTypeOf } from "@sw/hurray/descriptor";
import { TYPE_MAPPINGS } from "@sw/hurray/interchange";
import { CliError, EXIT } from "../failure.js";
import { layoutText, nameText, typeText } from "../words.js";
import type { Change } from "./change.js";
import type { Target } from "./write.js";

/** Refuses what another format has no place for, before a byte of it is written, and says which option helps. */
export function refuseForeign(target: Target, name: string, d: Descriptor, { dtype, quantize }: Change): void {
  if (target === "hrry") return;
  const refuse = (what: string, given: string, expected: string, advice: string): never => {
    const message = `convert: ${nameText(name)}: ${what}: got ${given}, expected ${expected}. ${advice}`;
    throw new CliError(EXIT.refused, message);
  };
  if (d.layout.kind === "composite") {
    const advice = "Name the tensors with --only.";
    refuse(`${target} has no composites`, layoutText(d), "a tensor", advice);
  }
  if (quantize !== undefined || (d.quantisation !== undefined && dtype === undefined)) {
    refuse(`${target} has no quantised tensors`, "a quantised tensor", "plain values", "Add --dtype float32.");
  }
  const type = dtype ?? elementTypeOf(d.typeTag)?.name;
  const column = target === "safetensors" ? "safetensors" : "npy";
  if (TYPE_MAPPINGS.some((row) => row.type === type && row[column] !== undefined)) return;
  const types = TYPE_MAPPINGS.filter((row) => row[column] !== undefined).map((row) => row.type);
  refuse(`${target} has no such type`, dtype ?? typeText(d), types.join(", "), "Add --dtype float32.");
}
