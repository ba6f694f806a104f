import { wasmMemory } from "@sw/buffer/wasm";
import { beginWith } from "../src/scope.js";

// The setup of the lane `SW_TEST_MEMORY=wasm`: tensors live in WebAssembly memory from the first one on. It begins with
// one page, so that it grows, and every array over it detaches, many times in a run.

const memory = process.env["SW_TEST_MEMORY"];
if (memory !== "wasm") throw new TypeError(`SW_TEST_MEMORY: no such memory: got "${memory}", expected "wasm".`);
beginWith(wasmMemory({ initialBytes: 65_536 }));
