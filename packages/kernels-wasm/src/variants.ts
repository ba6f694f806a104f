import type { WasmMemory } from "@sw/buffer/wasm";
import { ModuleBuilder } from "./assembler/index.js";
import { memoryLimits } from "./memory-limits.js";

/**
 * The kernels of one memory that are emitted when they are first called for: those that most programs never need, and
 * those that a program describes. One module and one instance for each structure, never one a call. Compiles at once;
 * older browsers refuse that outside of workers above 4 kB, so a module stays below where it can.
 */
export class Variants {
  private readonly memory: WasmMemory;
  private readonly instances = new Map<string, WebAssembly.Exports>();

  constructor(memory: WasmMemory) {
    this.memory = memory;
  }

  /** Gives the exports of the module that `build` describes; `key` names all that `build` depends on. */
  get<Exports>(key: string, build: (module: ModuleBuilder) => void): Exports {
    let exports = this.instances.get(key);
    if (exports === undefined) {
      const compiled = this.compile(build);
      exports = new WebAssembly.Instance(compiled, { env: { memory: this.memory.memory } }).exports;
      this.instances.set(key, exports);
    }
    return exports as Exports;
  }

  /** Compiles a module for the memory. */
  compile(build: (module: ModuleBuilder) => void): WebAssembly.Module {
    const module = new ModuleBuilder().importMemory("env", "memory", memoryLimits(this.memory.isShared));
    build(module);
    return new WebAssembly.Module(module.toBytes());
  }
}
