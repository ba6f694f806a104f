export { ByteWriter } from "./encoder.js";
export { AssemblerError, type AssemblerErrorCode } from "./errors.js";
export { FunctionBuilder, type Label } from "./function-builder.js";
export { memoryImport } from "./import-section.js";
export {
  type ImmediateArguments,
  type ImmediatesOf,
  INSTRUCTIONS,
  type Instruction,
  type InstructionName,
} from "./instructions.js";
export { ModuleBuilder, type Parameters } from "./module-builder.js";
export type { Frame } from "./operand-stack.js";
export type { DataReference, FunctionReference, FunctionType, Local, MemoryLimits, ValueType } from "./types.js";
