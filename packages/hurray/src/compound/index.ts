// Quantised tensors as tensors of several parts, and back.
export { loadCompound } from "./load.js";
export { storeCompound } from "./store.js";
