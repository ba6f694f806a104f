import type { TypedArrayConstructor } from "@sw/buffer";
import { type ArrayOf, DTYPES, type DType, type TypedArray } from "./dtype.js";
import type { Tensor } from "./tensor.js";

/**
 * A typed array over all of a tensor's buffer; element `t.offset` of it is where layout index 0 lies. Good until the
 * next allocation in its memory.
 */
export function windowOf<D extends DType>(t: Tensor<D>): ArrayOf[D] {
  const { array } = DTYPES[t.dtype];
  const window = t.buffer.view(array as unknown as TypedArrayConstructor<ArrayOf[D]>);
  watcher?.(t, window);
  return window;
}

/** Is told of every window that is made. */
type Watcher = (t: Tensor, window: TypedArray) => void;

let watcher: Watcher | undefined;

/** Runs a function, and tells of the windows that are made in it: what reads or writes elements makes one. */
export function watchingWindows<T>(watch: Watcher, fn: () => T): T {
  const before = watcher;
  watcher = (t, window) => {
    before?.(t, window);
    watch(t, window);
  };
  try {
    return fn();
  } finally {
    watcher = before;
  }
}

/** A typed array as code writes it that does not know whether elements are numbers or bigints. */
export type Writable = { [element: number]: number | bigint };
