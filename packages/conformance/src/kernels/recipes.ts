import type { Program, ProgramReduction, ProgramStep } from "@sw/tensor/seam";
import { type DType, FLOAT_DTYPES, isWideInteger, unitRoundoff } from "../values.js";

/** A program that is tried, in some dtypes. All of its inputs are of the dtype. */
export interface Recipe {
  readonly name: string;
  readonly dtypes: readonly DType[];
  readonly inputs: number;
  readonly constants: (dtype: DType) => readonly number[];
  /** Of the values: inputs, constants, steps. */
  readonly steps: readonly ProgramStep[];
  readonly outputs: readonly number[];
  readonly reduce?: ProgramReduction;
}

/** Dtypes of every kind of array and arithmetic: for one program, and fewer for the others. */
const NUMBERS: readonly DType[] = [...FLOAT_DTYPES, "int32", "int64", "uint8"];
const SOME: readonly DType[] = ["float32", "float16", "int32", "int64"];

const none = (): readonly number[] => [];

function step(kind: string, ...operands: number[]): ProgramStep {
  return { kind, operands };
}

/** The programs that a backend is tried with. */
export function recipes(): readonly Recipe[] {
  return [
    // a·b + 2 − a: a multiplication and an addition that must not become one, and an input that is read twice.
    {
      name: "chain",
      dtypes: NUMBERS,
      inputs: 2,
      constants: () => [2],
      steps: [step("mul", 0, 1), step("add", 3, 2), step("sub", 4, 0)],
      outputs: [5],
    },
    // Two outputs, one of them bool, the other by a choice; operands of three inputs.
    {
      name: "choice",
      dtypes: SOME,
      inputs: 3,
      constants: none,
      steps: [step("lt", 0, 1), step("maximum", 1, 2), step("where", 3, 0, 4)],
      outputs: [5, 3],
    },
    // x + c − c, where c has no digits left for what is below 1.
    {
      name: "rounded-steps",
      dtypes: FLOAT_DTYPES,
      inputs: 1,
      constants: (dtype) => [1 / unitRoundoff(dtype)],
      steps: [step("add", 0, 1), step("sub", 2, 1)],
      outputs: [3, 2],
    },
    // A number of a call, and a function at the end.
    {
      name: "function",
      dtypes: ["float32", "float16"],
      inputs: 2,
      constants: none,
      steps: [
        step("sub", 0, 1),
        step("abs", 2),
        { kind: "leakyRelu", operands: [2], floats: [0.25] },
        step("sigmoid", 4),
      ],
      outputs: [5],
    },
    // Products, reduced.
    ...(["sum", "mean", "min", "max"] as const).map(
      (reduce): Recipe => ({
        name: `${reduce}-of-products`,
        dtypes: reduce === "mean" ? ["float32", "float16"] : SOME,
        inputs: 2,
        constants: none,
        steps: [step("mul", 0, 1)],
        outputs: [2],
        reduce,
      }),
    ),
  ];
}

export function programOf({ inputs, constants, steps, outputs, reduce }: Recipe, dtype: DType): Program {
  return {
    inputs: new Array<DType>(inputs).fill(dtype),
    constants: constants(dtype).map((value) => ({ dtype, value: isWideInteger(dtype) ? BigInt(value) : value })),
    steps,
    outputs,
    ...(reduce === undefined ? {} : { reduce }),
  };
}
