import type { MemorySource } from "@sw/buffer";
import type { Backend, Kernel } from "@sw/tensor/seam";
import type { Bound } from "../bounds.js";
import { ConformanceError, type ConformanceErrorCode, type FailureFacts } from "../errors.js";
import {
  allocate,
  fill,
  findStray,
  free,
  operandOf,
  type Placed,
  readAll,
  type Workspace,
} from "../operands/memory.js";
import { coordinateOf } from "../operands/placing.js";
import type { Lists, Records } from "../operands/records.js";
import { showValue, type Value } from "../values.js";
import { compareOutput } from "./compare.js";
import { describeCall } from "./describe.js";
import type { Expected, Plan, Sample, Whereabouts } from "./sample.js";

/** What outputs hold before the first and the second run: as float32 a small number, and NaN. */
const FIRST_FILL = 0xa5;
const SECOND_FILL = 0xff;
/** What lies around the elements of inputs: NaN in every float dtype, -1 or the largest in integers. */
const INPUT_FILL = 0xff;

/** A call on its way: what a failure needs to know. */
export interface Call {
  readonly candidate: Backend;
  readonly kernel: Kernel;
  readonly name: string;
  readonly caseId: string;
  readonly sample: Sample;
  readonly where: Whereabouts;
  readonly seed: number;
  readonly bound: Bound;
  readonly workspace: Workspace;
  /** Where the operand records come from; made for each call where it is absent. */
  readonly records: Records | undefined;
}

/**
 * Calls a kernel of the candidate on one set of operands, twice with other things in the outputs before, and compares
 * everything that may be compared. Answers false when the candidate's `supports` declines the operands.
 *
 * @throws ConformanceError when anything is wrong.
 */
export function checkSample(call: Call): boolean {
  const { sample, where, candidate } = call;
  const { heap } = call.workspace;
  const own = candidate.memory ?? heap;
  const outputMemory = where === "foreign" || where === "foreign outputs" ? heap : own;
  const inputMemory = where === "foreign" || where === "foreign inputs" ? heap : own;
  const placed: Placed[] = [];
  try {
    const outputs = takeAll(call, sample.outputs, outputMemory, placed);
    const inputs = takeAll(call, sample.inputs, inputMemory, placed);
    const asked = listsOf(call, outputs, inputs);
    const taken = candidate.supports?.(call.name, asked.outputs, asked.inputs, asked.ints, asked.floats) ?? true;
    call.records?.poison();
    if (!taken) return false;
    runOnce(call, outputs, inputs, FIRST_FILL);
    if (sample.expected === undefined) return true;
    const first = outputs.map(readAll);
    const expected = sample.expected();
    first.forEach((got, i) => {
      compare(call, i, got, expected[i]!);
    });
    runOnce(call, outputs, inputs, SECOND_FILL);
    compareRuns(call, first, outputs, inputs);
    return true;
  } finally {
    for (const one of placed) free(one);
  }
}

function takeAll(
  { workspace }: Call,
  plans: readonly Plan[],
  memory: MemorySource,
  placed: Placed[],
): readonly Placed[] {
  return plans.map((plan) => {
    const one = allocate(memory, workspace, plan.dtype, plan.placement, plan.loops);
    placed.push(one);
    return one;
  });
}

/** The lists that the kernel is handed; an input that the output is to be has the output's place. */
function listsOf({ sample, records }: Call, outputs: readonly Placed[], inputs: readonly Placed[]): Lists {
  const { ints, floats, inPlaceOf } = sample;
  const lists = {
    outputs: outputs.map(operandOf),
    inputs: inputs.map((one, i) => operandOf(i === inPlaceOf ? outputs[0]! : one)),
    ints,
    floats,
  };
  return records === undefined ? lists : records.lend(lists);
}

/** Fills the operands, calls the kernel once, and looks for what it wrote elsewhere. */
function runOnce(call: Call, outputs: readonly Placed[], inputs: readonly Placed[], byte: number): void {
  const { sample, kernel } = call;
  const { inPlaceOf } = sample;
  outputs.forEach((one, i) => {
    const shared = i === 0 && inPlaceOf !== undefined ? sample.inputs[inPlaceOf] : undefined;
    fill(one, byte, (shared ?? sample.outputs[i]!).values);
  });
  inputs.forEach((one, i) => {
    fill(one, INPUT_FILL, sample.inputs[i]!.values);
  });
  const lists = listsOf(call, outputs, inputs);
  const refusal = sample.expected === undefined;
  let thrown: unknown;
  try {
    const returned: unknown = kernel(lists.outputs, lists.inputs, lists.ints, lists.floats);
    if (returned instanceof Promise) {
      // Whatever becomes of it: the process is not to end of it.
      returned.catch(() => {});
      thrown = new TypeError("the kernel returned a promise");
    }
  } catch (error) {
    thrown = error ?? new Error("nothing");
  }
  call.records?.poison();
  if (thrown !== undefined && !(refusal && thrown instanceof RangeError)) {
    const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    const wanted = refusal ? "a RangeError" : "no error, since supports() does not decline the operands";
    fail(call, "SW_CONFORMANCE_THROWN", `the kernel threw: got ${text}, expected ${wanted}.`, { cause: thrown });
  }
  if (thrown === undefined && refusal) {
    fail(
      call,
      "SW_CONFORMANCE_ACCEPTED",
      "the kernel took operands that it must refuse: got no error, expected a RangeError.",
    );
  }
  outputs.forEach((one, i) => {
    checkStray(call, one, `output ${i}`, !refusal);
  });
  inputs.forEach((one, i) => {
    checkStray(call, one, `input ${i}`, undefined);
  });
}

/** `written` is undefined for an input, false for an output that was to stay as it was. */
function checkStray(call: Call, one: Placed, what: string, written: boolean | undefined): void {
  const stray = findStray(one, written === true);
  if (stray === undefined) return;
  const at = `byte ${stray.before} at index ${stray.index} from its first element is now ${stray.after}`;
  if (written === undefined) fail(call, "SW_CONFORMANCE_INPUT", `the kernel wrote into ${what}: ${at}.`);
  const rule = written ? "outside its elements" : "although it refused the operands";
  fail(call, "SW_CONFORMANCE_CANARY", `the kernel wrote into the memory of ${what} ${rule}: ${at}.`);
}

function compare(call: Call, output: number, got: readonly Value[], expected: Expected): void {
  const { dtype, placement, loops } = call.sample.outputs[output]!;
  const shape = placement.shape.slice(0, loops);
  const wrong = compareOutput({ bound: call.bound, dtype, shape, expected }, got);
  if (wrong !== undefined) fail(call, "SW_CONFORMANCE_VALUE", `output ${output} ${wrong.problem}`, wrong.facts);
}

/** Compares the elements of the second run with those of the first; bits of NaN are nobody's promise. */
function compareRuns(
  call: Call,
  first: readonly (readonly Value[])[],
  outputs: readonly Placed[],
  inputs: readonly Placed[],
): void {
  const different = firstDifference(first, outputs.map(readAll));
  if (different === undefined) return;
  // The same content once more tells a kernel that reads its output from one that is not repeatable.
  runOnce(call, outputs, inputs, FIRST_FILL);
  const repeated = firstDifference(first, outputs.map(readAll)) === undefined;
  const { output, ordinal, before, after } = different;
  const { placement, loops } = call.sample.outputs[output]!;
  const coordinate = coordinateOf(placement.shape.slice(0, loops), ordinal);
  const shown = { coordinate, got: showValue(after), expected: showValue(before), bound: "the same bits" };
  const what = `output ${output} at [${coordinate.join(",")}]: got ${shown.got}, expected ${shown.expected}, as in the first run`;
  if (repeated)
    fail(call, "SW_CONFORMANCE_PREVIOUS", `the result depends on what the output held before: ${what}.`, shown);
  fail(call, "SW_CONFORMANCE_REPEAT", `the same call gave another result: ${what}.`, shown);
}

interface Difference {
  readonly output: number;
  readonly ordinal: number;
  readonly before: Value;
  readonly after: Value;
}

function firstDifference(
  first: readonly (readonly Value[])[],
  second: readonly (readonly Value[])[],
): Difference | undefined {
  for (let output = 0; output < first.length; output++) {
    const before = first[output]!;
    const after = second[output]!;
    const ordinal = before.findIndex((value, i) => !Object.is(value, after[i]));
    if (ordinal >= 0) return { output, ordinal, before: before[ordinal]!, after: after[ordinal]! };
  }
  return undefined;
}

function fail(call: Call, code: ConformanceErrorCode, problem: string, facts: FailureFacts = {}): never {
  const operands = describeCall(call.name, call.sample, call.where, call.seed);
  throw new ConformanceError(code, call.caseId, problem, { ...facts, operands });
}
