import {
  checkProgram,
  DTYPES,
  type Kernel,
  numberToBfloat16,
  numberToHalf,
  type Operand,
  type Program,
} from "@sw/tensor/seam";
import { GROUPS } from "./groups.js";
import type { DType, TypedArray } from "./rows.js";
import { supports } from "./supports.js";

// The reference of fused programs: every step is its own kernel, on a block of elements at a time, whose results stay
// in blocks. So each step is rounded to its dtype, as it is where it runs alone.

/** How many elements pass at once. */
export const BLOCK = 512;

const NONE: readonly number[] = [];

/** What an input looks at between calls, so that no memory is kept. */
const NO_DATA: TypedArray = /* @__PURE__ */ new Uint8Array(0);

/** An operand of a step, which looks at another stretch of elements each turn. */
interface Slot extends Operand {
  data: TypedArray;
  offset: number;
  readonly strides: number[];
}

/** Elements of one dtype, as many as are written into an array without a conversion. */
type Elements = { [element: number]: number | bigint };

/** A step of a program, and the lists that its kernel is handed each time. */
interface Step {
  readonly kernel: Kernel;
  readonly outputs: readonly Slot[];
  readonly inputs: readonly Slot[];
  readonly floats: readonly number[];
}

/**
 * Makes one kernel of a program; `undefined` where a step has no kernel here. The kernel keeps its blocks, and where the
 * program ends in a reduction room for all elements that are reduced, from call to call.
 */
export function compile(program: Program): Kernel | undefined {
  const dtypes = checkProgram("compile", program);
  /** The one loop of a step; its extent is that of the last block where that is shorter. */
  const shape = [BLOCK];
  const first = program.inputs.length;
  const constants = program.constants.map(({ dtype, value }) => elementOf(dtype, value));
  const slots = dtypes.map((dtype, k): Slot => {
    const constant = constants[k - first];
    const data = k < first ? NO_DATA : new DTYPES[dtype].array(constant === undefined ? BLOCK : 1);
    if (constant !== undefined) (data as Elements)[0] = constant;
    return { dtype, data, offset: 0, shape, strides: [constant === undefined ? 1 : 0] };
  });
  const steps: Step[] = [];
  for (const [k, { kind, operands, floats = NONE }] of program.steps.entries()) {
    const outputs = [slots[first + constants.length + k]!];
    const inputs = operands.map((operand) => slots[operand]!);
    const kernel = kernelOf(kind);
    if (kernel === undefined || !supports(kind, outputs, inputs)) return undefined;
    steps.push({ kernel, outputs, inputs, floats });
  }
  const results = program.outputs.map((output) => slots[output]!);
  const run = (outputs: readonly Operand[], inputs: readonly Operand[]): void =>
    evaluate(steps, results, slots, outputs, inputs, shape);
  return program.reduce === undefined ? run : reducing(kernelOf(program.reduce)!, results[0]!.dtype, run);
}

function kernelOf(kind: string): Kernel | undefined {
  for (const { kernels } of GROUPS) {
    if (Object.hasOwn(kernels, kind)) return kernels[kind as keyof typeof kernels];
  }
  return undefined;
}

function elementOf(dtype: DType, value: number | bigint): number | bigint {
  if (dtype === "float16") return numberToHalf(value as number);
  if (dtype === "bfloat16") return numberToBfloat16(value as number);
  return value;
}

/** Runs the steps over all elements, row-major, block by block along the innermost loop. */
function evaluate(
  steps: readonly Step[],
  results: readonly Slot[],
  slots: readonly Slot[],
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  block: number[],
): void {
  const operands = [...outputs, ...inputs];
  const at = operands.map(({ offset }) => offset);
  const { shape } = operands[0]!;
  const last = shape.length - 1;
  const length = last < 0 ? 1 : shape[last]!;
  let turns = 1;
  for (let k = 0; k < last; k++) turns *= shape[k]!;
  const counter = new Array<number>(Math.max(last, 0)).fill(0);
  const along = operands.map(({ strides }) => strides[last] ?? 0);
  for (let k = 0; k < inputs.length; k++) {
    slots[k]!.data = inputs[k]!.data;
    slots[k]!.strides[0] = along[outputs.length + k]!;
  }
  for (let turn = 0; turn < turns; turn++) {
    for (let start = 0; start < length; start += BLOCK) {
      const n = Math.min(BLOCK, length - start);
      block[0] = n;
      for (let k = 0; k < inputs.length; k++) {
        const operand = outputs.length + k;
        slots[k]!.offset = at[operand]! + start * along[operand]!;
      }
      for (const { kernel, outputs: into, inputs: from, floats } of steps) kernel(into, from, NONE, floats);
      // After the last step, since an output may be an input too.
      for (let k = 0; k < outputs.length; k++) {
        copy(n, outputs[k]!.data, at[k]! + start * along[k]!, along[k]!, results[k]!.data);
      }
    }
    for (let k = last - 1; k >= 0; k--) {
      const extent = shape[k]!;
      const count = counter[k]! + 1;
      const done = count === extent;
      counter[k] = done ? 0 : count;
      for (let i = 0; i < at.length; i++) at[i]! += operands[i]!.strides[k]! * (done ? 1 - extent : 1);
      if (!done) break;
    }
  }
  for (let k = 0; k < inputs.length; k++) slots[k]!.data = NO_DATA;
}

function copy(n: number, to: Elements, at: number, stride: number, from: Elements): void {
  for (let i = 0; i < n; i++) to[at + i * stride] = from[i]!;
}

/** A kernel that reduces what another one writes, which is kept whole meanwhile. */
function reducing(
  reduce: Kernel,
  dtype: DType,
  run: (outputs: readonly Operand[], inputs: readonly Operand[]) => void,
): Kernel {
  const { array } = DTYPES[dtype];
  let data: TypedArray = new array(0);
  return (outputs, inputs) => {
    const { shape } = outputs[0]!;
    const strides = new Array<number>(shape.length);
    let size = 1;
    for (let k = shape.length - 1; k >= 0; k--) {
      strides[k] = size;
      size *= shape[k]!;
    }
    if (data.length < size) data = new array(size);
    const whole = [{ dtype, data, offset: 0, shape, strides }];
    run(whole, inputs);
    reduce(outputs, whole, NONE, NONE);
  };
}
