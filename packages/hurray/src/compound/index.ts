// What is stored as tensors that are more than a layout: quantised ones as tensors of several parts, and values of anything.
export { loadCompound } from "./load.js";
export { storeCompound } from "./store.js";
export { type ValuesTensor, type ValuesTensorOptions, valuesTensor } from "./values-tensor.js";
