/** The codes of the errors that the assembler throws. @since 0.1.0 */
export type AssemblerErrorCode =
  | "SW_WASM_ASM_STACK"
  | "SW_WASM_ASM_LABEL"
  | "SW_WASM_ASM_LOCAL"
  | "SW_WASM_ASM_IMMEDIATE"
  | "SW_WASM_ASM_MODULE";

/**
 * A function or module that cannot be assembled: the engine would refuse it, or read it differently.
 *
 * @since 0.1.0
 */
export class AssemblerError extends Error {
  readonly code: AssemblerErrorCode;
  /** The function being built; empty for an error of the module. */
  readonly functionName: string;
  /** The instruction, or the part of the module, that was refused. */
  readonly instruction: string;
  /** How many instructions of the function came before. */
  readonly position: number;
  constructor(code: AssemblerErrorCode, functionName: string, instruction: string, position: number, problem: string) {
    super(
      functionName === ""
        ? `assemble ${instruction}: ${problem}`
        : `assemble ${functionName}: ${instruction} (instruction ${position}): ${problem}`,
    );
    this.name = "AssemblerError";
    this.code = code;
    this.functionName = functionName;
    this.instruction = instruction;
    this.position = position;
  }
}
