/**
 * What needs Node: the meter of the heap that some cases ask for.
 *
 * @packageDocumentation
 */
export { heapMeter } from "./meter.js";
