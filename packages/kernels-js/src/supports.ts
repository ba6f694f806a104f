import { type Operand, operationSpec } from "@sw/tensor/seam";
import type { Takes } from "./groups/group.js";
import { GROUPS } from "./groups.js";
import type { DType } from "./rows.js";

/** What a spec says of an operand's dtype: `""` is that of the call, which all operands without one of their own share. */
interface Roles {
  readonly types: readonly string[];
  /** How many operands there are without the optional ones, which are there all or none. */
  readonly required: number;
}

interface Signature {
  readonly takes: Takes;
  readonly outputs: Roles;
  readonly inputs: Roles;
}

/** The signatures that were asked for, since specs are text. */
const SIGNATURES: Map<string, Signature> = new Map();

/**
 * Tells whether a kernel has a loop for the dtypes of these operands. Of strides, extents and numbers it takes all.
 * A kernel that this backend lacks is not supported; a program that it compiled takes what it was compiled for.
 */
export function supports(kernel: string, outputs: readonly Operand[], inputs: readonly Operand[]): boolean {
  let signature = SIGNATURES.get(kernel);
  if (signature === undefined) {
    if (kernel === "program") return true;
    signature = signatureOf(kernel);
    if (signature === undefined) return false;
    SIGNATURES.set(kernel, signature);
  }
  const { takes } = signature;
  if (!counts(signature.outputs, outputs) || !counts(signature.inputs, inputs)) return false;
  if (typeof takes === "function") return takes(outputs, inputs);
  const dtype = shared(signature.outputs, outputs) ?? shared(signature.inputs, inputs) ?? inputs[0]?.dtype;
  if (dtype === undefined || takes[dtype] === undefined) return false;
  return fits(signature.outputs, outputs, dtype) && fits(signature.inputs, inputs, dtype);
}

function signatureOf(kernel: string): Signature | undefined {
  const spec = operationSpec(kernel);
  const group = GROUPS.find(({ dtypes }) => Object.hasOwn(dtypes, kernel));
  const takes = group?.dtypes[kernel as keyof typeof group.dtypes];
  if (spec === undefined || takes === undefined) return undefined;
  return { takes, outputs: rolesOf(spec.outputs), inputs: rolesOf(spec.inputs) };
}

function rolesOf(operands: readonly string[]): Roles {
  const types = operands.map((operand) => /:(\w+)/.exec(operand)?.[1] ?? "");
  return { types, required: operands.filter((operand) => !operand.endsWith("?")).length };
}

function counts({ types, required }: Roles, operands: readonly Operand[]): boolean {
  return operands.length === required || operands.length === types.length;
}

/** The dtype of the first operand without one of its own. */
function shared({ types }: Roles, operands: readonly Operand[]): DType | undefined {
  return operands[types.indexOf("")]?.dtype;
}

function fits({ types }: Roles, operands: readonly Operand[], dtype: DType): boolean {
  for (let i = 0; i < operands.length; i++) if (!isOf(types[i]!, operands[i]!.dtype, dtype)) return false;
  return true;
}

function isOf(type: string, given: DType, dtype: DType): boolean {
  switch (type) {
    case "":
      return given === dtype;
    case "any":
      return true;
    case "index":
      return given === "int32" || given === "int64";
    case "sum":
      return given === (dtype.includes("float") ? dtype : "int64");
    default:
      return given === type;
  }
}
