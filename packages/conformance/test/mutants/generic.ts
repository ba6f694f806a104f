import type { Kernel, Operand, OperationSpec } from "@sw/tensor/seam";
import { dense, positions } from "../support.js";
import { remembering } from "../wrong/backends.js";

// Defects that any kernel may have, made of a kernel that has none and of what its spec says of its operands.

/** A defect, made of a kernel that has none; `undefined` where it can have no effect, by the roles of the operands. */
export interface GenericDefect {
  readonly name: string;
  make(kernel: Kernel, spec: OperationSpec): Kernel | undefined;
}

type Change = (o: Operand) => Operand;

const inputsSeen =
  (change: Change): GenericDefect["make"] =>
  (kernel) =>
  (outputs, inputs, ints, floats) =>
    kernel(outputs, inputs.map(change), ints, floats);

const outputsSeen =
  (change: Change): GenericDefect["make"] =>
  (kernel) =>
  (outputs, inputs, ints, floats) =>
    kernel(outputs.map(change), inputs, ints, floats);

const withoutStrides: Change = (o) => ({ ...o, strides: dense(o.shape) });
const withoutSigns: Change = (o) => ({ ...o, strides: o.strides.map(Math.abs) });
const aligned: Change = (o) => ({ ...o, offset: o.offset - (o.offset % 4) });

const isEmpty = (o: Operand): boolean => o.shape.includes(0);

/** The same calls, and something after each on an output that has elements. */
const after =
  (change: (output: Operand, inputs: readonly Operand[]) => void): GenericDefect["make"] =>
  (kernel) =>
  (outputs, inputs, ints, floats) => {
    kernel(outputs, inputs, ints, floats);
    if (!isEmpty(outputs[0]!)) change(outputs[0]!, inputs);
  };

/** Writes a place with other bits than it has. */
function spoil(o: Operand, at: number): void {
  const bytes = new Uint8Array(o.data.buffer, o.data.byteOffset + at * o.data.BYTES_PER_ELEMENT, 1);
  bytes[0] = bytes[0]! ^ 0x11;
}

/** Leaves out the last turn of the innermost loop, where it has more than one. */
const shorter: GenericDefect["make"] =
  (kernel, { family }) =>
  (outputs, inputs, ints, floats) => {
    const last = outputs[0]!.shape.length - 1;
    const extent = outputs[0]!.shape[last] ?? 0;
    if (extent < 2) {
      kernel(outputs, inputs, ints, floats);
    } else if (family === "axes") {
      const [out] = outputs as [Operand];
      const missed = positions(out).filter((_, i) => i % extent === extent - 1);
      const held = missed.map((at) => out.data[at]!);
      kernel(outputs, inputs, ints, floats);
      missed.forEach((at, i) => {
        out.data[at] = held[i]!;
      });
    } else {
      const cut: Change = (o) => ({ ...o, shape: o.shape.with(last, extent - 1) });
      kernel(outputs.map(cut), inputs.map(cut), ints, floats);
    }
  };

const withoutNaN: Change = (o) => {
  if (!o.dtype.startsWith("float")) return o;
  return { ...o, data: (o.data as Float32Array).map((x) => (Number.isNaN(x) ? 0 : x)) };
};

/** Leaves an element as it was where it held what the second run finds: bytes that are all ones. */
const trusting: GenericDefect["make"] = (kernel, { outputs: names }) => {
  if (names[0]!.includes("!")) return undefined;
  return (outputs, inputs, ints, floats) => {
    const [out] = outputs as [Operand];
    const bytes = new Uint8Array(out.data.buffer, out.data.byteOffset + out.offset * out.data.BYTES_PER_ELEMENT, 1);
    const held = isEmpty(out) ? 0 : bytes[0]!;
    kernel(outputs, inputs, ints, floats);
    if (held === 0xff) spoil(out, out.offset);
  };
};

/** The defects, in no order. */
export const GENERIC_DEFECTS: readonly GenericDefect[] = [
  { name: "ignores the strides of inputs", make: inputsSeen(withoutStrides) },
  { name: "ignores the strides of outputs", make: outputsSeen(withoutStrides) },
  { name: "ignores the sign of strides of inputs", make: inputsSeen(withoutSigns) },
  { name: "ignores the sign of strides of outputs", make: outputsSeen(withoutSigns) },
  { name: "rounds the offsets of inputs down", make: inputsSeen(aligned) },
  { name: "rounds the offsets of outputs down", make: outputsSeen(aligned) },
  { name: "leaves out the last turn of the innermost loop", make: shorter },
  { name: "writes behind the end", make: after((out) => spoil(out, Math.max(...positions(out)) + 1)) },
  { name: "writes before the beginning", make: after((out) => spoil(out, Math.min(...positions(out)) - 1)) },
  { name: "writes an input", make: after((_, [input]) => spoil(input!, input!.offset)) },
  {
    name: "takes NaN for 0",
    make: (kernel, spec) => (spec.kinds.includes("float") ? inputsSeen(withoutNaN)(kernel, spec) : undefined),
  },
  { name: "depends on what the output held", make: trusting },
  { name: "keeps the records of operands", make: remembering },
];
