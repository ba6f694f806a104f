import { type Allocator, Arena, BufferPool, heapMemory, type MemorySource } from "@sw/buffer";
import { describe } from "@sw/layout";
import type { Backend } from "./backend.js";
import type { Trace } from "./declined.js";
import { TensorStateError } from "./errors.js";
import type { Tape } from "./record.js";

/** What is ambient: the kernels, whether history is written, and where results live (D9). @since 0.1.0 */
export interface Scope {
  /** The chain of backends; the first that takes an operation runs it. */
  readonly kernels: readonly Backend[];
  readonly recording: boolean;
  /** Where the outputs of operations come from: a pool, or an arena. */
  readonly memory: Allocator;
  /** Told of each call of a kernel, where `explain` is at work. */
  readonly trace?: Trace;
  /** The stretch of history that nodes are made in, if one was begun. */
  readonly tape: Tape | undefined;
}

/** What all copies of this package in a process share. */
interface Cell {
  scope: Scope;
  /** How many `with…` scopes are open. */
  depth: number;
  /** The memory of chains whose first backend has none of its own. */
  readonly heap: MemorySource;
  readonly pools: WeakMap<MemorySource, BufferPool>;
}

const KEY = Symbol.for("@sw/tensor/scope/1");
let known: Cell | undefined;

/** Makes a cell without backends, over a memory. */
function createCell(heap: MemorySource): Cell {
  const memory = new BufferPool({ source: heap });
  const pools = new WeakMap([[heap, memory]]);
  return { scope: { kernels: [], recording: true, memory, tape: undefined }, depth: 0, heap, pools };
}

/**
 * Puts another memory in the place of the JavaScript heap, before anything else uses the scope: a lane of the tests
 * runs them over WebAssembly memory, which moves when it grows.
 */
export function beginWith(heap: MemorySource): void {
  known = createCell(heap);
  (globalThis as { [KEY]?: Cell })[KEY] = known;
}

/** The cell in force; made on first use. */
function cell(): Cell {
  if (known !== undefined) return known;
  const host = globalThis as { [KEY]?: Cell };
  const existing = host[KEY];
  if (existing !== undefined) {
    known = existing;
    return existing;
  }
  known = createCell(heapMemory());
  host[KEY] = known;
  return known;
}

/** The scope in force. @since 0.1.0 */
export function current(): Scope {
  return cell().scope;
}

/** The pool that a chain of backends feeds: on the first backend's memory, else on the JavaScript heap. */
function poolOf(chain: readonly Backend[]): BufferPool {
  const c = cell();
  const source = chain[0]?.memory ?? c.heap;
  let pool = c.pools.get(source);
  if (pool === undefined) {
    // Kernels that do not stage would refuse an output on the heap, so without them nothing overflows.
    const made = new BufferPool(chain[0]?.stages === true ? { source, overflow: c.heap } : { source });
    // Others take from the memory too: kernels, for copies of operands that lie elsewhere.
    source.onExhausted ??= () => made.trim();
    c.pools.set(source, made);
    pool = made;
  }
  return pool;
}

/** The pool behind the scope in force, whatever arena is in force: what outlives a step is kept here. @since 0.1.0 */
export function defaultPool(): BufferPool {
  return poolOf(cell().scope.kernels);
}

function checkChain(operation: string, chain: readonly Backend[]): void {
  for (const backend of chain) {
    if (
      typeof backend !== "object" ||
      backend === null ||
      typeof backend.kernels !== "object" ||
      backend.kernels === null
    ) {
      throw new TypeError(
        `${operation}: not a backend: got ${describe(backend)}, expected { name, seamVersion, kernels }.`,
      );
    }
    if (backend.seamVersion !== 1) {
      throw new TensorStateError(
        "SW_TENSOR_BACKEND",
        `${operation}: the backend ${backend.name} speaks another seam: got version ${String(backend.seamVersion)}, expected 1. Install the version of it that fits this @sw/tensor.`,
      );
    }
  }
}

/**
 * Puts a chain of backends in force for the whole process: the first that has a kernel for an operation runs it.
 * Results are allocated in the first backend's memory.
 *
 * @throws TypeError for something that is no backend; TensorStateError `SW_TENSOR_BACKEND` for one of
 * another seam version, or when called inside a `with…` scope, where the change would be lost.
 * @since 0.1.0
 */
export function setKernels(...chain: Backend[]): void {
  checkChain("setKernels", chain);
  const c = cell();
  if (c.depth > 0) {
    throw new TensorStateError(
      "SW_TENSOR_BACKEND",
      "setKernels: called inside a scope, whose end would undo it: got a call within with…(fn), expected one outside. Use withKernels(chain, fn) there.",
    );
  }
  c.scope = { ...c.scope, kernels: [...chain], memory: poolOf(chain) };
}

/** A function that a scope may run: synchronous, since a scope does not survive an `await`. @since 0.1.0 */
export type Synchronous<T> = () => T extends PromiseLike<unknown> ? never : T;

/**
 * Runs a function with parts of the scope replaced, and puts them back, also when it throws.
 *
 * @throws TensorStateError `SW_TENSOR_SCOPE_PROMISE` when the function returns a promise, or the iterator of a generator.
 * @since 0.1.0
 */
export function withScope<T>(patch: Partial<Scope>, fn: Synchronous<T>): T {
  const c = cell();
  const before = c.scope;
  c.scope = { ...before, ...patch };
  c.depth += 1;
  try {
    return ended("with…", fn() as T);
  } finally {
    c.depth -= 1;
    c.scope = before;
  }
}

/**
 * Gives back what a function returned that had to be over by then.
 *
 * @throws TensorStateError `SW_TENSOR_SCOPE_PROMISE` for a promise, or the iterator of a generator.
 */
export function ended<T>(operation: string, result: T): T {
  if (!outlives(result)) return result;
  // The caller gets this error instead; a later rejection must not end the process.
  if (isThenable(result)) result.then(undefined, () => undefined);
  throw new TensorStateError(
    "SW_TENSOR_SCOPE_PROMISE",
    `${operation}: the function returned a promise or a generator, which would outlive the scope: got an asynchronous function or a generator function, expected a synchronous one. Wrap the synchronous stretches.`,
  );
}

/** Tells what goes on after the function returned: a promise, or the iterator of a generator. */
function outlives(value: unknown): boolean {
  return isThenable(value) || hasMethod(value, "next");
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return hasMethod(value, "then");
}

function hasMethod(value: unknown, name: string): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  // Asked by `in` first: some proxies throw for a property they do not have.
  return name in value && typeof (value as { readonly [name: string]: unknown })[name] === "function";
}

/** Runs a function with another chain of backends, and their memory, in force. @since 0.1.0 */
export function withKernels<T>(chain: readonly Backend[], fn: Synchronous<T>): T {
  checkChain("withKernels", chain);
  const pool = poolOf(chain);
  const { memory } = current();
  // An arena in force stays in force where it lives in the memory the chain wants.
  return withScope({ kernels: [...chain], memory: memory.source === pool.source ? memory : pool }, fn);
}

/**
 * Runs a function with an arena in force: the outputs of operations are allocated in it. The arena is not reset.
 *
 * @param run - the number that `arena.begin()` gave, for a run that goes on across an `await`: one call for each
 * synchronous stretch, then `arena.end(run)`. Without it the call is a run of its own.
 * @throws BufferStateError `SW_BUFFER_ARENA_BUSY` while another run of the arena is open.
 * @since 0.1.0
 */
export function withArena<T>(arena: Arena, fn: Synchronous<T>, run?: number): T {
  if (typeof arena?.allocate !== "function") {
    throw new TypeError(`withArena: not an arena: got ${describe(arena)}, expected one made by createArena.`);
  }
  // An arena of an older copy of the package has no runs.
  if (typeof arena.begin !== "function") return withScope({ memory: arena }, fn);
  if (run !== undefined) {
    arena.checkRun("withArena", run);
    return withScope({ memory: arena }, fn);
  }
  const own = arena.begin();
  try {
    return withScope({ memory: arena }, fn);
  } finally {
    // Whoever ended it inside has no run to end here, and the function's own error is the one to be heard.
    if (arena.open === own) arena.end(own);
  }
}

/** Runs a function with recording for gradients switched on or off. @since 0.1.0 */
export function withRecording<T>(recording: boolean, fn: Synchronous<T>): T {
  return withScope({ recording }, fn);
}

/** Makes an arena on the default pool, for the steps of a loop: `withArena(arena, step); arena.reset();`. @since 0.1.0 */
export function createArena(options: { readonly chunkBytes?: number } = {}): Arena {
  return new Arena(defaultPool(), options);
}
