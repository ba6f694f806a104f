import { checkProgram } from "./check-program.js";
import type { DType } from "./dtype.js";
import type { Program, ProgramConstant, ProgramReduction, ProgramStep } from "./program.js";

/** A value of a program that is being built: an input, a constant, or the result of a step. @since 0.1.0 */
export interface ProgramValue {
  readonly of: "input" | "constant" | "step";
  /** Its number among those of its sort. */
  readonly position: number;
}

/** What a step is made of, its values being named. */
interface NamedStep extends Omit<ProgramStep, "operands"> {
  readonly operands: readonly ProgramValue[];
}

/**
 * Builds a {@link Program} by names instead of numbers.
 *
 * @example
 * ```ts
 * import { ProgramBuilder } from "@sw/tensor/fuse";
 * const p = new ProgramBuilder();
 * const [a, b, c] = [p.input("float32"), p.input("float32"), p.input("float32")];
 * const program = p.build([p.step("relu", [p.step("add", [p.step("mul", [a, b]), c])])]);
 * ```
 * @since 0.1.0
 */
export class ProgramBuilder {
  private readonly inputs: DType[] = [];
  private readonly constants: ProgramConstant[] = [];
  private readonly steps: NamedStep[] = [];

  /** Adds an input, after those that there are. */
  input(dtype: DType): ProgramValue {
    return { of: "input", position: this.inputs.push(dtype) - 1 };
  }

  /** Adds a number; a bigint of 64-bit integers. */
  constant(dtype: DType, value: number | bigint): ProgramValue {
    return { of: "constant", position: this.constants.push({ dtype, value }) - 1 };
  }

  /** Adds an element-wise operation of a kind, such as `"mul"`, and gives its result. */
  step(kind: string, operands: readonly ProgramValue[], floats: readonly number[] = []): ProgramValue {
    this.steps.push({ kind, operands: [...operands], ...(floats.length === 0 ? {} : { floats: [...floats] }) });
    return { of: "step", position: this.steps.length - 1 };
  }

  /**
   * Gives the program that writes some values, or the reduction of one.
   *
   * @throws TensorValueError `SW_TENSOR_PROGRAM` for a step, an output or a reduction that cannot be one.
   */
  build(outputs: readonly ProgramValue[], reduce?: ProgramReduction): Program {
    const { inputs, constants, steps } = this;
    const before = { input: 0, constant: inputs.length, step: inputs.length + constants.length };
    const numberOf = ({ of, position }: ProgramValue): number => before[of] + position;
    const program: Program = {
      inputs: [...inputs],
      constants: [...constants],
      steps: steps.map((step) => ({ ...step, operands: step.operands.map(numberOf) })),
      outputs: outputs.map(numberOf),
      ...(reduce === undefined ? {} : { reduce }),
    };
    checkProgram("ProgramBuilder.build", program);
    return program;
  }
}
