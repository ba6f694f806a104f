import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "../kernels/loops.js";
import { Expression, type Node, prepareAll } from "./expression.js";

/** How an input moves along the inner loop: with the output, or not at all. */
export type Pattern = "vector" | "scalar";

/** A loop over contiguous elements of float32. */
export interface BlockLoop {
  readonly name: string;
  readonly inputs: readonly Pattern[];
  /** Vectors a turn: 4 where the value takes a few instructions, and 1 where it takes many. */
  readonly unroll: 1 | 4;
  /** What an element of each output is of those of the inputs. */
  readonly values: (e: Expression, ...inputs: Node[]) => readonly Node[];
  /** How many outputs there are; one by default. */
  readonly outputs?: number;
}

const VECTOR_BYTES = 16;
const ELEMENT_BYTES = 4;

interface Output {
  readonly row: Local<"i32">;
  readonly step: Local<"i32">;
  readonly at: Local<"i32">;
}

interface Input {
  readonly pattern: Pattern;
  readonly row: Local<"i32">;
  readonly step: Local<"i32">;
  readonly at: Local<"i32">;
  readonly splat: Local<"v128">;
}

/**
 * Emits `rows` times a loop over `count` elements (both at least 1). Outputs are contiguous along the inner loop;
 * between rows each operand moves by its own step, in bytes, so that a bias is one call. The last elements run the same
 * vector code on one lane: an element has the same bits wherever it stands. An output may be the very same elements as an
 * input: those of a vector are written when all of them are computed. Parameters: `rows, count`, then the address and the
 * step of each output, then those of each input.
 */
export function emitBlockLoop(module: ModuleBuilder, loop: BlockLoop): void {
  const outputNames = Array.from({ length: loop.outputs ?? 1 }, (_, i) => [`out${i}`, `out${i}Step`] as const);
  const inputNames = loop.inputs.map((_, i) => [`in${i}`, `in${i}Step`] as const);
  const parameters = ["rows", "count", ...outputNames.flat(), ...inputNames.flat()];
  module.function(loop.name, Object.fromEntries(parameters.map((name) => [name, "i32" as const])), [], (f, p) => {
    const parameter = (name: string): Local<"i32"> => p[name] as Local<"i32">;
    const outputs = outputNames.map(
      ([name, step]): Output => ({ row: parameter(name), step: parameter(step), at: f.local("i32", "outAt") }),
    );
    const inputs = inputNames.map(([name, step], i): Input => {
      const [row, own] = [parameter(name), parameter(step)];
      return { pattern: loop.inputs[i]!, row, step: own, at: f.local("i32", "at"), splat: f.local("v128", "splat") };
    });
    const emitTurns = loop.unroll === 1 ? emitSingle : emitUnrolled;
    const turns = emitTurns(f, loop, inputs, parameter("count"), outputs);
    repeat(f, parameter("rows"), () => {
      for (const { row, at } of outputs) f.get(row).set(at);
      for (const { pattern, row, at, splat } of inputs) {
        if (pattern === "vector") f.get(row).set(at);
        else f.get(row).op("v128.load32_splat").set(splat);
      }
      turns();
      for (const { row, step } of [...outputs, ...inputs]) advanceBy(f, row, step);
    });
  });
}

/** The values as an expression of inputs that `load` puts on the stack; gives what leaves them in locals. */
function prepareValues(
  f: FunctionBuilder,
  loop: BlockLoop,
  inputs: readonly Input[],
  load: (input: Input) => void,
): { readonly compute: () => void; readonly results: readonly Local[] } {
  const e = new Expression();
  const nodes = inputs.map((input, i) =>
    e.input(i, () => {
      if (input.pattern === "vector") load(input);
      else f.get(input.splat);
    }),
  );
  const results = Array.from({ length: loop.outputs ?? 1 }, () => f.local("v128", "result"));
  return { compute: prepareAll(f, loop.values(e, ...nodes), results), results };
}

function forward(f: FunctionBuilder, inputs: readonly Input[], outputs: readonly Output[], bytes: number): void {
  for (const { at } of outputs) advance(f, at, bytes);
  for (const { pattern, at } of inputs) if (pattern === "vector") advance(f, at, bytes);
}

/** Four vectors a turn, then single ones, then lanes. */
function emitUnrolled(
  f: FunctionBuilder,
  loop: BlockLoop,
  inputs: readonly Input[],
  count: Local<"i32">,
  outputs: readonly Output[],
): () => void {
  const left = f.local("i32", "left");
  let instruction: "v128.load" | "v128.load32_zero" = "v128.load";
  let offset = 0;
  const { compute, results } = prepareValues(f, loop, inputs, (input) => f.get(input.at).op(instruction, offset));
  const times = (turns: () => void, vectors: number, load: typeof instruction): void => {
    turns();
    repeatIfAny(f, left, () => {
      instruction = load;
      for (let i = 0; i < vectors; i++) {
        offset = i * VECTOR_BYTES;
        compute();
        for (const [k, { at }] of outputs.entries()) {
          f.get(at).get(results[k]!);
          if (load === "v128.load") f.op("v128.store", offset);
          else f.op("v128.store32_lane", offset, 0);
        }
      }
      forward(f, inputs, outputs, load === "v128.load" ? vectors * VECTOR_BYTES : ELEMENT_BYTES);
    });
  };
  return () => {
    times(() => f.get(count).i32(4).op("i32.shr_u").set(left), 4, "v128.load");
    times(() => f.get(count).i32(2).op("i32.shr_u").i32(3).op("i32.and").set(left), 1, "v128.load");
    times(() => f.get(count).i32(3).op("i32.and").set(left), 1, "v128.load32_zero");
  };
}

/** One loop for vectors and for lanes: the value is long, and its code is there once. */
function emitSingle(
  f: FunctionBuilder,
  loop: BlockLoop,
  inputs: readonly Input[],
  count: Local<"i32">,
  outputs: readonly Output[],
): () => void {
  const left = f.local("i32", "left");
  const whole = f.local("i32", "whole");
  const { compute, results } = prepareValues(f, loop, inputs, (input) => {
    f.get(whole).if(
      () => f.get(input.at).op("v128.load"),
      () => f.get(input.at).op("v128.load32_zero"),
      "v128",
    );
  });
  const move = (elements: number): void => {
    forward(f, inputs, outputs, elements * ELEMENT_BYTES);
    advance(f, left, -elements);
  };
  return () => {
    f.get(count).set(left);
    f.loop((top) => {
      f.get(left).i32(4).op("i32.ge_u").set(whole);
      compute();
      f.get(whole).if(
        () => {
          for (const [k, { at }] of outputs.entries()) f.get(at).get(results[k]!).op("v128.store");
          move(4);
        },
        () => {
          for (const [k, { at }] of outputs.entries()) f.get(at).get(results[k]!).op("v128.store32_lane", 0, 0);
          move(1);
        },
      );
      f.get(left).brIf(top);
    });
  };
}
