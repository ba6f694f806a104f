// The entry point `@sw/tensor/fuse`: several operations as one.

export { type Fused, fuse } from "./fuse.js";
export type { Program, ProgramConstant, ProgramReduction, ProgramStep } from "./program.js";
export { ProgramBuilder, type ProgramValue } from "./program-builder.js";
export { runProgram } from "./run-program.js";
