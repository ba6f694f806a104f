/**
 * What needs Node: the command, and the meter of the heap that some cases ask for.
 *
 * @packageDocumentation
 */
export { type CommandHost, command } from "./command.js";
export { heapMeter } from "./meter.js";
export type { Terminal } from "./progress.js";
