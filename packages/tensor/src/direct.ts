import type { MemorySource } from "@sw/buffer";
import type { Backend, DirectKernel } from "./backend.js";
import { DTYPES, type DType } from "./dtype.js";
import type { OperationSpec } from "./operations/spec.js";
import type { Scope } from "./scope.js";
import type { Tensor } from "./tensor.js";

// The shortest way to a kernel, for operands that lie dense and alike in the memory of its backend: numbers are handed
// over, no records. A small operation costs little more than its handle then.

/** What a chain of backends has for an operation on a dtype. */
interface Route {
  readonly dtype: DType;
  readonly elementBytes: number;
  readonly source: MemorySource | undefined;
  /** `undefined` where calls take the general way. */
  readonly run: DirectKernel | undefined;
  /** The route of the same operation on another dtype. */
  readonly next: Route | undefined;
}

/** The routes of a chain, found as they are asked for. */
class Routes {
  readonly chain: readonly Backend[];
  private readonly first: Map<OperationSpec, Route> = new Map();

  constructor(chain: readonly Backend[]) {
    this.chain = chain;
  }

  find(spec: OperationSpec, dtype: DType): Route {
    const first = this.first.get(spec);
    for (let route = first; route !== undefined; route = route.next) if (route.dtype === dtype) return route;
    const found = this.make(spec, dtype, first);
    this.first.set(spec, found);
    return found;
  }

  private make(spec: OperationSpec, dtype: DType, next: Route | undefined): Route {
    const { kind } = spec;
    const { kind: dtypeKind, byteLength } = DTYPES[dtype];
    // The first backend that has the kernel would be asked; its direct kernel is a yes.
    const backend = this.chain.find(({ kernels }) => kernels[kind] !== undefined);
    const source = backend?.memory;
    const fits = source !== undefined && spec.kinds.includes(dtypeKind) && isPlain(spec);
    return { dtype, elementBytes: byteLength, source, run: fits ? backend?.direct?.(kind, dtype) : undefined, next };
  }
}

/** Whether an operation is a loop over one output and one or two inputs, all of one dtype, and nothing else. */
function isPlain({ family, outputs, inputs, ints, floats }: OperationSpec): boolean {
  if (family !== "loops" || outputs.length !== 1 || inputs.length > 2 || ints.length > 0) return false;
  return floats.every((name) => name === "number?") && [...outputs, ...inputs].every((name) => /^\w+$/.test(name));
}

const KNOWN: WeakMap<readonly Backend[], Routes> = new WeakMap();
/** Those of the chain asked last: most programs have one. */
let last: Routes | undefined;

function routesOf(chain: readonly Backend[]): Routes {
  let routes = KNOWN.get(chain);
  if (routes === undefined) {
    routes = new Routes(chain);
    KNOWN.set(chain, routes);
  }
  last = routes;
  return routes;
}

/**
 * Runs an operation by the direct kernel of the chain in force, where there is one for these operands: dense, alike, of
 * one dtype, live, and not empty. Answers false, and has done nothing, where there is none. Returns the output's memory
 * where the kernel throws.
 *
 * @param out - a new tensor, at the beginning of its buffer.
 * @param b - `a` again, where the operation has one input.
 */
export function runDirect(scope: Scope, spec: OperationSpec, out: Tensor, a: Tensor, b: Tensor): boolean {
  const chain = scope.kernels;
  const { run, source, elementBytes } = (last?.chain === chain ? last : routesOf(chain)).find(spec, a.dtype);
  const into = out.buffer;
  if (run === undefined || into.source !== source || a.buffer.source !== source || b.buffer.source !== source) {
    return false;
  }
  // `explain` is told of operands, which are not made here.
  if (scope.trace !== undefined) return false;
  try {
    into.beginWrite(out.generation, spec.kind);
    run(
      a.size,
      into.address | 0,
      (a.buffer.address + a.offset * elementBytes) | 0,
      (b.buffer.address + b.offset * elementBytes) | 0,
    );
    return true;
  } catch (error) {
    out.dispose();
    throw error;
  }
}
