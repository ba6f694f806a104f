// The command language of rearrangements, reductions and contractions.
export { type EinsumCommand, type EinsumOperand, parseEinsum } from "./command/einsum.js";
export { parseRearrange, type RearrangeCommand, rearrangeBy } from "./command/rearrange.js";
export { parseReduce, type ReduceCommand } from "./command/reduce.js";
export { type CommandToken, type CommandTokenKind, tokenizeCommand } from "./command/tokens.js";
