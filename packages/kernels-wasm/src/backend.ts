import type { Block } from "@sw/buffer";
import { type WasmMemory, wasmMemory } from "@sw/buffer/wasm";
import type { Backend, Kernel, Operand } from "@sw/tensor/seam";
import { WasmOperandError, WasmOptionError } from "./errors.js";
import { PACKED_A_BYTES, PACKED_B_BYTES, TILE_BYTES } from "./kernels/blocking.js";
import { emitFusedProduct, type FusedExports, hasFusedProduct } from "./kernels/fused-product.js";
import { BINARY_KINDS, type BinaryKind, UNARY_KINDS, type UnaryKind } from "./kernels/kinds.js";
import { ATTENTION } from "./launch/attention.js";
import { CASTS } from "./launch/cast.js";
import { CHOICES } from "./launch/choices.js";
import { CONVOLUTIONS } from "./launch/convolution.js";
import { BLOCKS_BYTES, binaryEngine, denseKernel, launchElementwise, unaryEngine } from "./launch/elementwise.js";
import { allOf, type Call, type Engine, type RoomKernel } from "./launch/family.js";
import { launchMatmul } from "./launch/matmul.js";
import { MOVEMENT } from "./launch/movement.js";
import { OPTIMISERS } from "./launch/optimise.js";
import { OTHER_MATMULS } from "./launch/other-matmul.js";
import { POOLS } from "./launch/pool.js";
import { productEngines } from "./launch/products.js";
import { programKernel, programObjection } from "./launch/program.js";
import { REDUCTIONS } from "./launch/reduce.js";
import { ROWS } from "./launch/rows.js";
import { WorkingRoom } from "./launch/working-room.js";
import { type Loaded, load, loadSync, type ModuleSource, requireHost } from "./loader.js";
import { FOREIGN, OwnMemory } from "./own-memory.js";
import { copyElements, isWhole, stagedOperand, takeRoom, twinOf } from "./staging.js";
import { hasWorkers } from "./threads/start-worker.js";
import { ThreadPool } from "./threads/thread-pool.js";
import { Variants } from "./variants.js";

/**
 * Options of `wasmKernels`.
 *
 * @since 0.1.0
 */
export interface WasmKernelsOptions {
  /** The memory that tensors live in; a new one by default. */
  readonly memory?: WasmMemory;
  /** The size of the new memory to begin with. */
  readonly initialBytes?: number;
  /** How far the new memory may grow. */
  readonly maximumBytes?: number;
  /** The kernels as a compiled module, as bytes or at a URL; by default those that the package carries. */
  readonly module?: ModuleSource;
  /**
   * Whether products of matrices multiply and add in one instruction where the host has it, by default `true`. Most hosts
   * then do not round what they add: the bound holds, but the bits are not those of a host without.
   */
  readonly relaxed?: boolean;
  /**
   * How many threads multiply large matrices, the calling one among them; by default 1. The memory has to be shared: a new
   * one is then. Results have the same bits.
   */
  readonly threads?: number | ThreadOptions;
}

/** Threads, and where a page has their script. @since 0.1.0 */
export interface ThreadOptions {
  readonly count: number;
  /** `@sw/kernels-wasm/worker.js`; by default the script is made of text, which a content security policy may forbid. */
  readonly url?: URL;
}

/** The threads that there are. @since 0.1.0 */
export interface WasmThreads {
  /** Those that take part, the calling one among them. */
  readonly count: number;
  /** Why there are no more, where only the calling one takes part. */
  readonly reason: string | undefined;
}

/** The kernels that take room for the time of a call. */
const ROOM_KERNELS: typeof ATTENTION &
  typeof CASTS &
  typeof CHOICES &
  typeof CONVOLUTIONS &
  typeof MOVEMENT &
  typeof OPTIMISERS &
  typeof POOLS &
  typeof REDUCTIONS &
  typeof ROWS = {
  ...ATTENTION,
  ...CASTS,
  ...CHOICES,
  ...CONVOLUTIONS,
  ...MOVEMENT,
  ...OPTIMISERS,
  ...POOLS,
  ...REDUCTIONS,
  ...ROWS,
};

/** The kernels that there are. @since 0.1.0 */
export type WasmKind = "matmul" | keyof typeof ROOM_KERNELS | UnaryKind | BinaryKind;

/**
 * The kernels on one memory.
 *
 * @since 0.1.0
 */
export interface WasmBackend extends Backend {
  readonly name: "wasm";
  readonly memory: WasmMemory;
  readonly kernels: { readonly [kind in WasmKind]: Kernel };
  supports(
    kernel: string,
    outputs: readonly Operand[],
    inputs: readonly Operand[],
    ints?: readonly number[],
    floats?: readonly number[],
  ): boolean;
  /** Why `supports` says no, in a word: `dtype`, `detached memory`, `disposed`, `no kernel`. */
  objection(
    kernel: string,
    outputs: readonly Operand[],
    inputs: readonly Operand[],
    ints?: readonly number[],
    floats?: readonly number[],
  ): string | undefined;
  readonly stages: true;
  /** Whether products use the relaxed multiply-add: see the option. */
  readonly relaxed: boolean;
  readonly threads: WasmThreads;
  /**
   * How many operands outside of `memory` were copied in and out, by kernel: some two or three times the work. An input
   * that is passed twice is copied once.
   */
  readonly staged: { readonly [kernel: string]: number };
  /**
   * How often `supports` said no, by kernel; `objection` says why. What is declined runs on the next backend of the
   * chain, which is slower; an empty record means that nothing was.
   */
  readonly declined: { readonly [kernel: string]: number };
  /** Gives the working memory back; the kernels decline from then on. Doing it twice is nothing. */
  dispose(): void;
  [Symbol.dispose](): void;
}

type Launch<Engine> = (
  engine: Engine,
  out: Operand,
  outAt: number,
  a: Operand,
  aAt: number,
  b: Operand,
  bAt: number,
) => void;

/** What fused programs are called in `supports` (S-50). */
const PROGRAM = "program";

const PRODUCT_BYTES = PACKED_A_BYTES + PACKED_B_BYTES + TILE_BYTES;
const SCRATCH_BYTES = PRODUCT_BYTES + BLOCKS_BYTES;

/**
 * Loads the WebAssembly kernels: `matmul`, the convolutions and the element-wise ones of float32, and `matmul` of
 * the other floats, in place on the memory that tensors live in. Takes 1.1 MiB of it as working memory, once. For the time of a
 * call, convolutions take room for a padded image and for operands that are not row-major, and all kernels for operands
 * that live elsewhere.
 *
 * `attention` is of float32, with masks of bool too. `copy` is of every dtype, `cast` of all pairs but integers of 32 and 64 bits to `bfloat16`.
 *
 * Element-wise kernels are within 2 units in the last place of the exact result for every float32; those of one IEEE 754
 * operation are exact to the bit. An element of `matmul` differs from the exact sum by at most
 * γ(min(k, 256) + ⌈k / 256⌉) · Σ|a·b| with γ(n) = n·2⁻²⁴ / (1 − n·2⁻²⁴), short of underflow and overflow: products
 * are rounded, summed in float32 over blocks of at most 256, and the block sums added in float32; of float64 all the
 * same, with 2⁻⁵³; of 16-bit floats as of float32, and rounded once in the end. With `relaxed` products may be added without
 * being rounded. NaN and Infinity
 * go through; a depth of 0 gives zeros. Convolutions are within (n + 2) · 2⁻²⁴ · Σ|x·w| for sums of n terms; a tap over
 * padding is no term.
 *
 * @throws WasmLoadError `SW_WASM_UNSUPPORTED` on a host without vectors, `SW_WASM_MODULE` when the module is refused.
 * @throws WasmOptionError `SW_WASM_OPTION` when `memory` comes with options of a new one.
 * @throws OutOfMemoryError `SW_BUFFER_OUT_OF_MEMORY` when the memory has no room for the working memory.
 * @example
 * ```ts
 * import { wasmKernels } from "@sw/kernels-wasm";
 * import { setKernels } from "@sw/tensor";
 * setKernels(await wasmKernels());
 * ```
 * @since 0.1.0
 */
export async function wasmKernels(options: WasmKernelsOptions = {}): Promise<WasmBackend> {
  const memory = prepare("wasmKernels", options);
  const loaded = await load("wasmKernels", memory, options.module);
  const { backend, ready } = createBackend("wasmKernels", memory, loaded, options);
  try {
    await ready;
  } catch (error) {
    backend.dispose();
    throw error;
  }
  return backend;
}

/**
 * Loads the kernels as `wasmKernels` does, at once. Older browsers compile no more than 4 kB in this way outside of
 * workers, and the module is larger: for them there is `wasmKernels`.
 *
 * @throws As `wasmKernels` does, and WasmOptionError `SW_WASM_OPTION` for a module at a URL.
 * @since 0.1.0
 */
export function wasmKernelsSync(options: WasmKernelsOptions = {}): WasmBackend {
  const memory = prepare("wasmKernelsSync", options);
  const loaded = loadSync("wasmKernelsSync", memory, options.module);
  const { backend, ready } = createBackend("wasmKernelsSync", memory, loaded, options);
  // Threads that cannot be started are none; `threads` says why.
  ready.catch(() => undefined);
  return backend;
}

function prepare(operation: string, options: WasmKernelsOptions): WasmMemory {
  requireHost(operation);
  const { memory, initialBytes, maximumBytes } = options;
  if (memory === undefined) {
    return wasmMemory({
      ...(countOf(operation, options) > 1 && typeof SharedArrayBuffer === "function" ? { shared: true } : {}),
      ...(initialBytes === undefined ? {} : { initialBytes }),
      ...(maximumBytes === undefined ? {} : { maximumBytes }),
    });
  }
  for (const option of ["initialBytes", "maximumBytes"] as const) {
    if (options[option] === undefined) continue;
    throw new WasmOptionError(
      `${operation}: options contradict each other: got memory and ${option}, expected one of them. Give ${option} to wasmMemory.`,
      option,
    );
  }
  return memory;
}

/** How many threads are asked for. */
function countOf(operation: string, { threads = 1 }: WasmKernelsOptions): number {
  const count = typeof threads === "number" ? threads : threads.count;
  if (Number.isInteger(count) && count >= 1) return count;
  throw new WasmOptionError(
    `${operation}: not a number of threads: got ${String(count)}, expected an integer of 1 or more.`,
    "threads",
  );
}

/** Why threads cannot be started. */
function noThreads(memory: WasmMemory, count: number): string | undefined {
  if (count === 1) return "one thread was asked for";
  if (typeof SharedArrayBuffer !== "function") return "the page is not isolated, so memory cannot be shared";
  if (!memory.isShared) return "the memory is not shared";
  return hasWorkers() ? undefined : "this host has no workers";
}

function createBackend(
  operation: string,
  memory: WasmMemory,
  { core, module }: Loaded,
  options: WasmKernelsOptions,
): { readonly backend: WasmBackend; readonly ready: Promise<void> } {
  const count = countOf(operation, options);
  const own = new OwnMemory(memory);
  // Reserved now, so that no kernel grows the memory between reading addresses and using them.
  let scratch: Block | undefined = memory.allocate(SCRATCH_BYTES);
  const blocks = scratch.address + PRODUCT_BYTES;
  const variants = new Variants(memory);
  const relaxed = (options.relaxed ?? true) && hasFusedProduct();
  const fused = (): FusedExports => variants.get("fused product", emitFusedProduct);
  const products = productEngines(core, scratch.address, relaxed ? fused : undefined);
  const engine: Engine = { core, variants, products, blocks };
  const reason = noThreads(memory, count);
  let pool: ThreadPool | undefined;
  let ready = Promise.resolve();
  if (reason === undefined) {
    const url = typeof options.threads === "object" ? options.threads.url : undefined;
    const modules = { core: module, fused: relaxed ? variants.compile(emitFusedProduct) : undefined };
    ({ pool, ready } = ThreadPool.start(memory, count - 1, url, PRODUCT_BYTES, modules));
    products.float32.threads = pool;
    products.float64.threads = pool;
  }
  const threads: WasmThreads = {
    get count() {
      return pool?.count ?? 1;
    },
    get reason() {
      return pool === undefined
        ? reason
        : (pool.reason ?? (pool.count > 1 ? undefined : "they are still being started"));
    },
  };
  const declined: { [kernel: string]: number } = {};
  const staged: { [kernel: string]: number } = {};

  /** Why operands cannot be reached, or `undefined`. */
  const unreachable = (outputs: readonly Operand[], inputs: readonly Operand[]): string | undefined => {
    if (scratch === undefined) return "disposed";
    own.refresh();
    const isReached = (operand: Operand): boolean => own.addressOf(operand) !== FOREIGN || isWhole(operand);
    return outputs.every(isReached) && inputs.every(isReached) ? undefined : "detached memory";
  };
  /** Runs a kernel on copies of those operands that live elsewhere. */
  const launchStaged = <Engine>(name: string, engine: Engine, launch: Launch<Engine>, operands: Operand[]): void => {
    // Addresses first: taking room may grow the memory, which moves no address but makes the windows invalid.
    const addresses = operands.map((operand) => own.addressOf(operand));
    const twins = operands.map((operand, i) => twinOf(operand, operands, i));
    const blocks: (Block | undefined)[] = [];
    try {
      for (let i = 0; i < operands.length; i++) {
        const apart = addresses[i] === FOREIGN && twins[i] === i;
        blocks.push(apart ? takeRoom(memory, operands[i]!) : undefined);
      }
      const copies = [...operands];
      for (let i = 0; i < operands.length; i++) {
        const block = blocks[i];
        if (block === undefined) {
          copies[i] = copies[twins[i]!]!;
          addresses[i] = addresses[twins[i]!]!;
          continue;
        }
        copies[i] = stagedOperand(memory, operands[i]!, block);
        addresses[i] = block.address;
        if (i > 0) copyElements(copies[i]!, operands[i]!);
        staged[name] = (staged[name] ?? 0) + 1;
      }
      const [out, a, b] = copies as [Operand, Operand, Operand];
      const [outAt, aAt, bAt] = addresses as [number, number, number];
      launch(engine, out, outAt, a, aAt, b, bAt);
      if (blocks[0] !== undefined) copyElements(operands[0]!, out);
    } finally {
      for (const block of blocks) if (block !== undefined) memory.free(block);
    }
  };
  /** A kernel of one output and one or two inputs; of one, the second is the same. It checks again what `supports` checked: a wrong address writes anywhere. */
  const kernel =
    <Engine>(name: string, engine: Engine, launch: Launch<Engine>): Kernel =>
    (...call) => {
      const [outputs, inputs] = call;
      const out = outputs[0]!;
      const a = inputs[0]!;
      const b = inputs[1] ?? a;
      own.refresh();
      const outAt = own.addressOf(out);
      const aAt = own.addressOf(a);
      const bAt = own.addressOf(b);
      const floats = out.dtype === "float32" && a.dtype === "float32" && b.dtype === "float32";
      if (scratch !== undefined && floats && outAt !== FOREIGN && aAt !== FOREIGN && bAt !== FOREIGN) {
        launch(engine, out, outAt, a, aAt, b, bAt);
        return;
      }
      requireNone(name, call, allFloat32(...call));
      launchStaged(name, engine, launch, [out, a, b]);
    };
  /** A kernel that takes room of its own, and copies operands where it must. */
  const roomy =
    (name: string, { launch, objection }: RoomKernel): Kernel =>
    (...call) => {
      requireNone(name, call, objection(...call));
      const [outputs, inputs] = call;
      const room = new WorkingRoom(own, core, outputs, inputs);
      try {
        launch(engine, room, ...call);
      } finally {
        if (room.staged > 0) staged[name] = (staged[name] ?? 0) + room.staged;
        room.free();
      }
    };
  const matmul = kernel("matmul", engine.products.float32, launchMatmul);
  const otherMatmuls: { readonly [dtype: string]: Kernel } = Object.fromEntries(
    Object.entries(OTHER_MATMULS).map(([dtype, entry]) => [dtype, roomy("matmul", entry)]),
  );
  const kernels = {
    matmul: ((...call) => {
      const run = otherMatmuls[call[0][0]!.dtype] ?? matmul;
      run(...call);
    }) satisfies Kernel as Kernel,
    ...Object.fromEntries([
      ...Object.entries(ROOM_KERNELS).map(([kind, entry]) => [kind, roomy(kind, entry)]),
      ...UNARY_KINDS.map((kind) => [kind, kernel(kind, unaryEngine(core, kind, blocks), launchElementwise)]),
      ...BINARY_KINDS.map((kind) => [kind, kernel(kind, binaryEngine(core, kind, blocks), launchElementwise)]),
    ]),
  } as WasmBackend["kernels"];
  const rooms: { readonly [name: string]: RoomKernel } = ROOM_KERNELS;
  const allFloat32 = allOf("float32");
  const objection: WasmBackend["objection"] = (name, outputs, inputs, ints = [], floats = []) => {
    let objects = allFloat32;
    if (name === PROGRAM) objects = programObjection;
    else if (!Object.hasOwn(kernels, name)) return "no kernel";
    if (Object.hasOwn(rooms, name)) objects = rooms[name]!.objection;
    else if (name === "matmul") objects = OTHER_MATMULS[outputs[0]!.dtype]?.objection ?? allFloat32;
    return objects(outputs, inputs, ints, floats) ?? unreachable(outputs, inputs);
  };
  const requireNone = (name: string, call: Call, own: string | undefined): void => {
    const reason = own ?? unreachable(call[0], call[1]);
    if (reason === undefined) return;
    const operands = [...call[0], ...call[1]].map(({ dtype, shape }) => `${dtype}[${shape.join(",")}]`);
    throw new WasmOperandError(name, reason, operands.join(", "));
  };
  const dispose = (): void => {
    pool?.dispose();
    if (scratch !== undefined) memory.free(scratch);
    scratch = undefined;
  };
  const backend: WasmBackend = {
    name: "wasm",
    seamVersion: 1,
    memory,
    kernels,
    stages: true,
    relaxed,
    threads,
    staged,
    declined,
    supports: (name, outputs, inputs) => {
      if (objection(name, outputs, inputs) === undefined) return true;
      if (name === PROGRAM || Object.hasOwn(kernels, name)) declined[name] = (declined[name] ?? 0) + 1;
      return false;
    },
    objection,
    compile: (program) => {
      const entry = programKernel(program);
      return entry === undefined ? undefined : roomy(PROGRAM, entry);
    },
    direct: (name, dtype) => (dtype === "float32" ? denseKernel(core, name) : undefined),
    dispose,
    [Symbol.dispose]: dispose,
  };
  return { backend, ready };
}
