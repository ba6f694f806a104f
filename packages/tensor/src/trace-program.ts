import type { AllocateOptions, Allocator, DataBuffer } from "@sw/buffer";
import { broadcastExtents } from "@sw/layout";
import type { Backend, Kernel, Operand } from "./backend.js";
import { isStep } from "./check-program.js";
import type { DType } from "./dtype.js";
import { fromElement } from "./element.js";
import { isTensor } from "./gate.js";
import { isContiguousTensor } from "./movement.js";
import type { OperationSpec } from "./operations/spec.js";
import { COPY } from "./operations/specs/movement.js";
import { OPERATIONS } from "./operations/table.js";
import type { Program, ProgramReduction } from "./program.js";
import { ProgramBuilder, type ProgramValue } from "./program-builder.js";
import { choose } from "./run.js";
import { current, withScope } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { watchingWindows } from "./window.js";

// Tracing: a function runs for real, on a chain of one backend that writes down what it passes on. A kernel sees addresses,
// not tensors, so each call is checked to be element by element: every operand must lie, relative to the output, as its axes
// broadcast to the loops. All values are row-major over the axes that they have, so strides say which element meets which.

/** A program that a function was found to be, and how it is called. */
export interface Traced {
  readonly program: Program;
  /** The arguments that the program reads, by position. */
  readonly inputs: readonly number[];
  /** The axes of its reduction, where it has one. */
  readonly axes: readonly number[] | undefined;
  readonly results: readonly TracedResult[];
  readonly isList: boolean;
}

/** A result, as a tensor to allocate. */
export interface TracedResult {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The argument whose layout it has, by position; -1 is row-major. */
  readonly layout: number;
}

/** Why a function is no program. */
class Untraceable {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Where a value comes from. */
type Origin =
  | { readonly of: "input"; readonly position: number; readonly dtype: DType }
  | { readonly of: "constant"; readonly dtype: DType; readonly element: number | bigint }
  | {
      readonly of: "step";
      readonly kind: string;
      readonly operands: readonly Origin[];
      readonly floats: readonly number[];
    };

/** What is known of the memory of a value. */
interface Value {
  readonly origin: Origin;
  /** By axis of the loops: how far its elements are apart, 0 where it has not the axis. */
  readonly strides: readonly number[];
  readonly offset: number;
  readonly dtype: DType;
  /** The argument whose layout an operation gives its result; -1 is row-major. */
  readonly layout: number;
  readonly reduction?: { readonly kind: ProgramReduction; readonly axes: readonly number[] };
}

const REDUCTIONS: readonly string[] = ["sum", "mean", "min", "max"] satisfies readonly ProgramReduction[];

/**
 * Runs a function on tensors of these shapes, and gives the program that it is, or why it is none. What the function throws
 * is thrown. The tensors are contiguous, of different buffers, and not recorded.
 */
export function traceProgram(
  fn: (...tensors: readonly Tensor[]) => unknown,
  tensors: readonly Tensor[],
): Traced | string {
  const shape = shapeOf(tensors);
  if (shape === undefined) return "its arguments do not broadcast to one shape";
  // What has as many elements as the result then has all of its axes, which strides alone do not say of axes of one element.
  if (shape[0] === 1 && tensors.some(({ rank }) => rank < shape.length)) {
    return "its arguments have different ranks, and the first axis has one element";
  }
  const tracer = new Tracer(tensors, shape);
  const result = watchingWindows(tracer.watch, () =>
    withScope({ kernels: [tracer.backend], memory: tracer.memory, recording: false }, () => fn(...tensors) as object),
  );
  try {
    return tracer.finish(result);
  } catch (error) {
    if (error instanceof Untraceable) return error.reason;
    throw error;
  } finally {
    tracer.discard(result);
  }
}

function shapeOf(tensors: readonly Tensor[]): readonly number[] | undefined {
  try {
    return tensors.reduce<readonly number[]>((shape, t) => broadcastExtents(shape, t.shape, "fuse"), []);
  } catch {
    return undefined;
  }
}

class Tracer {
  readonly backend: Backend;
  readonly memory: Allocator;
  readonly watch: Parameters<typeof watchingWindows>[0];
  private readonly chain: readonly Backend[] = current().kernels;
  private readonly shape: readonly number[];
  private readonly arguments: Map<DataBuffer, number> = new Map();
  private readonly tensors: readonly Tensor[];
  private readonly values: Map<DataBuffer, Value> = new Map();
  private readonly made: Set<DataBuffer> = new Set();
  private readonly buffers: WeakMap<object, DataBuffer> = new WeakMap();
  /** Windows that were made for something else than a call: a read of elements, if it is not 0 in the end. */
  private windows = 0;
  /** The first thing that is no part of a program. */
  private problem: string | undefined;

  constructor(tensors: readonly Tensor[], shape: readonly number[]) {
    this.tensors = tensors;
    this.shape = shape;
    for (const [position, t] of tensors.entries()) this.arguments.set(t.buffer, position);
    const { memory } = current();
    this.memory = {
      source: memory.source,
      allocate: (byteLength: number, options?: AllocateOptions): DataBuffer => {
        const buffer = memory.allocate(byteLength, options);
        // A buffer comes back when its tensor is disposed, and is another value then.
        this.values.delete(buffer);
        this.made.add(buffer);
        return buffer;
      },
      reclaim: (buffer: DataBuffer): void => memory.reclaim(buffer),
    };
    this.watch = (t, window) => {
      this.windows++;
      this.buffers.set(window, t.buffer);
    };
    const kernels = Object.entries(OPERATIONS).map(([kind, spec]) => [kind, this.kernelOf(spec)] as const);
    this.backend = { name: "trace", seamVersion: 1, kernels: Object.fromEntries(kernels) };
  }

  /** A kernel that writes a call down, and has it run by the chain that was in force. */
  private kernelOf(spec: OperationSpec): Kernel {
    return (outputs, inputs, ints, floats) => {
      this.windows -= outputs.length + inputs.length;
      if (this.problem === undefined) this.problem = this.add(spec, outputs, inputs, floats);
      choose(spec, outputs, inputs, ints, floats, this.chain)(outputs, inputs, ints, floats);
    };
  }

  /** Adds a call; gives why it is no step where it is none. */
  private add(
    spec: OperationSpec,
    outputs: readonly Operand[],
    inputs: readonly Operand[],
    floats: readonly number[],
  ): string | undefined {
    const isReduction = REDUCTIONS.includes(spec.kind);
    const isCopy = spec.kind === COPY.kind;
    if (!isStep(spec) && !isReduction && !isCopy) return `${spec.kind} is no step of a program`;
    const from: Value[] = [];
    for (const input of inputs) {
      const value = this.valueOf(input);
      if (typeof value === "string") return `${spec.kind}: ${value}`;
      from.push(value);
    }
    const out = outputs[0] as Operand;
    const buffer = this.buffers.get(out.data) as DataBuffer;
    if (isReduction) return this.addReduction(spec, out, buffer, inputs[0] as Operand, from[0] as Value, floats);
    // Of the axes of its inputs; or of all, where inputs were broadcast to an output that was there.
    const size = out.shape.reduce((count, extent) => count * extent, 1);
    const strides = [
      this.rowMajor((axis) => from.some((value) => value.strides[axis] !== 0)),
      this.rowMajor(() => true),
    ].find((own) => {
      const lies = (input: Operand, i: number): boolean => this.liesAs(input, from[i] as Value, out, own);
      return sizeOf(own, this.shape) === size && inputs.every(lies);
    });
    if (out.offset !== 0 || strides === undefined) return `${spec.kind} of a view, or into one`;
    if (isCopy) {
      this.values.set(buffer, { ...(from[0] as Value), strides, offset: 0 });
      return undefined;
    }
    const numbers = floats.slice(0, spec.floats.filter((name) => !name.endsWith("?")).length);
    const origin: Origin = { of: "step", kind: spec.kind, operands: from.map((one) => one.origin), floats: numbers };
    // As resultLayout has it: that of the first operand of full shape.
    const { layout } = from.find((one) => sizeOf(one.strides, this.shape) === size) ?? { layout: -1 };
    this.values.set(buffer, { origin, strides, offset: 0, dtype: out.dtype, layout });
    return undefined;
  }

  private addReduction(
    { kind }: OperationSpec,
    out: Operand,
    buffer: DataBuffer,
    input: Operand,
    from: Value,
    floats: readonly number[],
  ): string | undefined {
    const whole = this.rowMajor(() => true);
    if (from.origin.of !== "step" || floats.length > 0) return `${kind} of an argument`;
    if (from.strides.some((stride, axis) => stride !== whole[axis])) return `${kind} of less than all axes`;
    const axes: number[] = [];
    const kept = new Set<number>(whole.keys());
    input.strides.forEach((stride, loop) => {
      if (out.strides[loop] !== 0) return;
      for (const axis of this.axesOf(input.shape[loop] as number, stride, whole) ?? []) {
        axes.push(axis);
        kept.delete(axis);
      }
    });
    const strides = this.rowMajor((axis) => kept.has(axis));
    const terms = axes.reduce((count, axis) => count * (this.shape[axis] as number), 1);
    const reduced = out.shape.reduce((count, extent, loop) => (out.strides[loop] === 0 ? count * extent : count), 1);
    const keptLoops = [...out.shape.keys()].filter((loop) => out.strides[loop] !== 0);
    const pick = ({ shape, strides: own }: Operand): Pick<Operand, "shape" | "strides"> => ({
      shape: keptLoops.map((loop) => shape[loop] as number),
      strides: keptLoops.map((loop) => own[loop] as number),
    });
    const alike = this.liesAs({ ...input, ...pick(input) }, from, { ...out, ...pick(out) }, strides);
    if (axes.length === 0 || terms !== reduced || out.offset !== 0 || !alike) return `${kind} of a view, or into one`;
    const reduction = { kind: kind as ProgramReduction, axes: axes.sort((a, b) => a - b) };
    this.values.set(buffer, { ...from, strides, offset: 0, dtype: out.dtype, layout: -1, reduction });
    return undefined;
  }

  /** What an operand is, or why it is nothing of a program. */
  private valueOf({ data, offset, dtype, shape, strides }: Operand): Value | string {
    const buffer = this.buffers.get(data) as DataBuffer;
    const known = this.values.get(buffer);
    if (known !== undefined) {
      if (known.reduction !== undefined) return "an operand that was reduced";
      return known.dtype === dtype ? known : "an operand that is read as another dtype";
    }
    const position = this.arguments.get(buffer);
    const still = this.shape.map(() => 0);
    if (position !== undefined) {
      const t = this.tensors[position] as Tensor;
      if (t.dtype !== dtype) return "an operand that is read as another dtype";
      const before = this.shape.length - t.rank;
      const own = this.rowMajor((axis) => axis >= before && (t.shape[axis - before] as number) > 1);
      const origin: Origin = { of: "input", position, dtype: t.dtype };
      const found: Value = { origin, strides: own, offset: t.offset, dtype: t.dtype, layout: position };
      this.values.set(buffer, found);
      return found;
    }
    if (!this.made.has(buffer)) return "a tensor that is no argument";
    // What a number became: one element, written by the one window that was no call's.
    if (strides.some((stride, loop) => stride !== 0 && shape[loop] !== 1)) return "a tensor that is made inside";
    this.windows--;
    const stored = fromElement(dtype, (data as { readonly [at: number]: number | bigint })[offset] as number | bigint);
    const element = typeof stored === "boolean" ? Number(stored) : stored;
    const found: Value = { origin: { of: "constant", dtype, element }, strides: still, offset, dtype, layout: -1 };
    this.values.set(buffer, found);
    return found;
  }

  /** Strides of elements that are row-major over some of the axes. */
  private rowMajor(has: (axis: number) => boolean): number[] {
    const strides = new Array<number>(this.shape.length).fill(0);
    let step = 1;
    for (let axis = this.shape.length - 1; axis >= 0; axis--) {
      const extent = this.shape[axis] as number;
      if (extent === 1 || !has(axis)) continue;
      strides[axis] = step;
      step *= extent;
    }
    return strides;
  }

  /** The axes that a loop goes through, by its stride in a value; `undefined` where it goes through parts of one. */
  private axesOf(extent: number, stride: number, strides: readonly number[]): number[] | undefined {
    const axes: number[] = [];
    let axis = strides.lastIndexOf(stride);
    for (let left = extent; left > 1; axis--) {
      if (axis < 0) return undefined;
      if (strides[axis] === 0) continue;
      if (left % (this.shape[axis] as number) !== 0) return undefined;
      axes.push(axis);
      left /= this.shape[axis] as number;
    }
    return axes;
  }

  /** Whether an operand lies under the loops of a call as a value broadcasts to the axes of the output. */
  private liesAs(operand: Operand, value: Value, out: Operand, outStrides: readonly number[]): boolean {
    if (operand.offset !== value.offset) return false;
    return out.shape.every((extent, loop) => {
      if (extent === 1) return true;
      const axes = this.axesOf(extent, out.strides[loop] as number, outStrides);
      if (axes === undefined || axes.length === 0) return false;
      const own = axes.filter((axis) => value.strides[axis] !== 0);
      if (own.length !== 0 && own.length !== axes.length) return false;
      return operand.strides[loop] === value.strides[axes[0] as number];
    });
  }

  /** Returns the memory of results, which the program makes again. */
  discard(result: unknown): void {
    const results = new Set<Tensor>(Array.isArray(result) ? result : [result as Tensor]);
    for (const t of results) if (isTensor(t) && this.made.has(t.buffer)) t.dispose();
  }

  /** Gives the program of what the function returned. */
  finish(result: unknown): Traced {
    const isList = Array.isArray(result);
    const results = (isList ? result : [result]) as readonly Tensor[];
    if (this.problem !== undefined) throw new Untraceable(this.problem);
    if (results.length === 0) throw new Untraceable("it returns nothing");
    if (this.windows !== 0) throw new Untraceable("it reads elements, or writes them itself");
    const found = results.map((t) => this.resultOf(t));
    const reduction = found[0]?.reduction;
    if (found.length > 1 && found.some((value) => value.reduction !== undefined)) {
      throw new Untraceable("it returns a reduction among others");
    }
    return {
      ...built(
        found.map(({ origin }) => origin),
        reduction?.kind,
      ),
      axes: reduction?.axes,
      results: found.map(({ dtype, layout }, i) => ({ dtype, shape: (results[i] as Tensor).shape, layout })),
      isList,
    };
  }

  private resultOf(t: Tensor): Value {
    const value = isTensor(t) ? this.values.get(t.buffer) : undefined;
    if (value?.origin.of !== "step") throw new Untraceable("it returns what is no result of an operation");
    const { shape, reduction, strides } =
      value.reduction === undefined ? { ...value, shape: this.shape } : { ...value, shape: t.shape };
    const isWhole = t.offset === 0 && t.size === sizeOf(strides, this.shape) && isContiguousTensor(t);
    const isShaped = t.rank === shape.length && t.shape.every((extent, axis) => extent === shape[axis]);
    if (!isWhole || !isShaped) throw new Untraceable("it returns a view, or less than what its arguments broadcast to");
    if (reduction !== undefined && !this.isReduced(t.shape, reduction.axes)) {
      throw new Untraceable("it returns a view of a reduction");
    }
    return value;
  }

  /** Whether a shape is that of the loops without some axes, or with 1 in their places. */
  private isReduced(shape: readonly number[], axes: readonly number[]): boolean {
    const kept = this.shape.filter((extent, axis) => extent !== 1 && !axes.includes(axis));
    const given = shape.filter((extent) => extent !== 1);
    return kept.length === given.length && kept.every((extent, i) => extent === given[i]);
  }
}

/** The program of some values: of what they come from, and nothing else. */
function built(outputs: readonly Origin[], reduce: ProgramReduction | undefined): Pick<Traced, "program" | "inputs"> {
  const builder = new ProgramBuilder();
  const inputs: number[] = [];
  const values = new Map<Origin, ProgramValue>();
  const numbered = (origin: Origin): ProgramValue => {
    const before = values.get(origin);
    if (before !== undefined) return before;
    let value: ProgramValue;
    if (origin.of === "input") {
      inputs.push(origin.position);
      value = builder.input(origin.dtype);
    } else if (origin.of === "constant") value = builder.constant(origin.dtype, origin.element);
    else value = builder.step(origin.kind, origin.operands.map(numbered), origin.floats);
    values.set(origin, value);
    return value;
  };
  return { program: builder.build(outputs.map(numbered), reduce), inputs };
}

/** How many elements a value has. */
function sizeOf(strides: readonly number[], shape: readonly number[]): number {
  return strides.reduce((size, stride, axis) => (stride === 0 ? size : size * (shape[axis] as number)), 1);
}
