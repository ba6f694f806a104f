import { describe } from "@sw/layout";
import { DTYPES, type DType, isDType } from "./dtype.js";
import { toElement } from "./element.js";
import { TensorValueError } from "./errors.js";
import type { OperationSpec } from "./operations/spec.js";
import { OPERATIONS, operationSpec } from "./operations/table.js";
import type { Program, ProgramReduction, ProgramStep } from "./program.js";

const REDUCTIONS: { readonly [K in ProgramReduction]: true } = { sum: true, mean: true, min: true, max: true };

const NO_NUMBERS: readonly number[] = [];

/** The specs of the reductions, by kind. */
export function reductionOf(kind: ProgramReduction): OperationSpec {
  return OPERATIONS[kind];
}

/**
 * Checks a program, and finds the dtype of each of its values.
 *
 * @param operation - what the caller is called, for the text of errors.
 * @returns the dtypes by the values' numbers; those of the outputs are before the reduction.
 * @throws TypeError for what has not the form of a program; TensorValueError `SW_TENSOR_PROGRAM`, with the step in
 * `position` where it is one's, or `SW_TENSOR_VALUE` for a constant that its dtype cannot hold.
 * @since 0.1.0
 */
export function checkProgram(operation: string, program: Program): readonly DType[] {
  checkForm(operation, program);
  const dtypes: DType[] = [];
  for (const dtype of program.inputs) dtypes.push(knownDType(operation, "an input", dtype));
  program.constants.forEach(({ dtype, value }, position) => {
    knownDType(operation, "a constant", dtype);
    const held = typeof toElement(operation, dtype, value, position);
    const given = typeof value;
    if (given !== held) refuse(operation, `a constant of ${dtype} is no ${held}`, given, `a ${held}`);
    dtypes.push(dtype);
  });
  const first = dtypes.length;
  program.steps.forEach((step, position) => {
    dtypes.push(dtypeOfStep(operation, step, dtypes, position));
  });
  if (program.outputs.length === 0) refuse(operation, "the program has no outputs", "none", "one value or more");
  for (const output of program.outputs) {
    if (Number.isInteger(output) && output >= first && output < dtypes.length) continue;
    const results =
      first === dtypes.length ? "the number of a step, of which there are none" : `${first} to ${dtypes.length - 1}`;
    refuse(operation, "an output is no result of a step", String(output), results);
  }
  checkReduction(operation, program, dtypes);
  return dtypes;
}

/** The spec of a step's operation. The program was checked. */
export function specOfStep(step: ProgramStep): OperationSpec {
  return operationSpec(step.kind) as OperationSpec;
}

/** What an operand's name in a spec says of its dtype: `""` where it has none of its own. */
function typeOf(operand: string): string {
  return /:(\w+)/.exec(operand)?.[1] ?? "";
}

/** Whether an operation can be a step: each element of its one output follows from those at its coordinate, and so does its dtype. */
export function isStep({ family, outputs, inputs, ints }: OperationSpec): boolean {
  if (family !== "loops" || outputs.length !== 1 || ints.length > 0) return false;
  return /^\w+(:bool)?$/.test(outputs[0] as string) && inputs.every((input) => /^\w+(:bool)?$/.test(input));
}

function dtypeOfStep(operation: string, step: ProgramStep, dtypes: readonly DType[], position: number): DType {
  const { kind, operands, floats = NO_NUMBERS } = step;
  const spec = operationSpec(kind);
  const fail = (what: string, given: string, expected: string): never =>
    refuse(operation, `step ${position} (${kind}) ${what}`, given, expected, position);
  if (spec === undefined || !isStep(spec)) {
    return fail("is no element-wise operation of one output", kind, "one whose kernel only writes its output");
  }
  if (operands.length !== spec.inputs.length) {
    fail("has another number of operands", String(operands.length), String(spec.inputs.length));
  }
  const numbers = spec.floats.filter((name) => !name.endsWith("?")).length;
  if (floats.length !== numbers) fail("has another number of floats", String(floats.length), String(numbers));
  let shared: DType | undefined;
  for (const [i, operand] of operands.entries()) {
    const dtype = Number.isInteger(operand) && operand >= 0 ? dtypes[operand] : undefined;
    const own = typeOf(spec.inputs[i] as string);
    if (dtype === undefined) {
      fail("has an operand that is no value before it", String(operand), `a number from 0 to ${dtypes.length - 1}`);
    } else if (own === "") {
      shared ??= dtype;
      if (dtype !== shared) fail("has operands of several dtypes", `${shared} and ${dtype}`, "one dtype");
    } else if (dtype !== own) fail(`has an operand ${i} of another dtype`, dtype, own);
  }
  if (shared !== undefined && !spec.kinds.includes(DTYPES[shared].kind)) {
    fail("has operands of a dtype that it does not take", shared, `a dtype of ${spec.kinds.join(", ")}`);
  }
  return spec.outputs[0]?.endsWith(":bool") ? "bool" : (shared as DType);
}

function checkReduction(operation: string, { reduce, outputs }: Program, dtypes: readonly DType[]): void {
  if (reduce === undefined) return;
  if (!Object.hasOwn(REDUCTIONS, reduce)) {
    refuse(operation, "no such reduction of a program", String(reduce), Object.keys(REDUCTIONS).join(", "));
  }
  if (outputs.length !== 1) refuse(operation, "a reduction is of one output", `${outputs.length} outputs`, "1");
  const { kinds } = reductionOf(reduce);
  const dtype = dtypes[outputs[0] as number] as DType;
  if (kinds.includes(DTYPES[dtype].kind)) return;
  refuse(operation, `${reduce} is not for the dtype of the output`, dtype, `a dtype of ${kinds.join(", ")}`);
}

/** The form of a program, as far as a type would say it. */
function checkForm(operation: string, program: unknown): void {
  const lists = program as { readonly [name: string]: unknown } | null | undefined;
  const given = (what: string, value: unknown, expected: string): Error =>
    new TypeError(`${operation}: ${what}: got ${describe(value)}, expected ${expected}.`);
  if (typeof lists !== "object" || lists === null) {
    throw given("not a program", program, "{ inputs, constants, steps, outputs }");
  }
  for (const name of ["inputs", "constants", "steps", "outputs"]) {
    if (!Array.isArray(lists[name])) throw given(`the program's ${name} are no list`, lists[name], "a list");
  }
  for (const constant of lists["constants"] as readonly unknown[]) {
    if (typeof constant !== "object" || constant === null) throw given("not a constant", constant, "{ dtype, value }");
  }
  for (const step of lists["steps"] as readonly (Partial<ProgramStep> | null)[]) {
    if (typeof step?.kind !== "string" || !Array.isArray(step.operands)) {
      throw given("not a step", step, "{ kind, operands }");
    }
    const { floats } = step;
    if (floats !== undefined && !(Array.isArray(floats) && floats.every((x) => typeof x === "number"))) {
      throw given("the floats of a step are none", floats, "a list of numbers");
    }
  }
}

function knownDType(operation: string, what: string, dtype: unknown): DType {
  if (isDType(dtype)) return dtype;
  throw new TypeError(`${operation}: ${what} has no known dtype: got ${describe(dtype)}, expected a dtype.`);
}

function refuse(operation: string, what: string, given: string, expected: string, position?: number): never {
  throw new TensorValueError("SW_TENSOR_PROGRAM", `${operation}: ${what}: got ${given}, expected ${expected}.`, {
    given,
    expected,
    ...(position === undefined ? {} : { position }),
  });
}
