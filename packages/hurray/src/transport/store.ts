import type { StoredItem } from "../stored.js";
import type { SendableItem } from "../stream/parts.js";

/** Where a server has its tensors from. @since 0.1.0 */
export interface TensorStore {
  /**
   * Finds an item by its key; `undefined` where there is none. What it gives may come in pieces, each asked for when
   * the client has taken the one before. Dimensions must have their sizes: `resolveShape` fills them in (A43).
   */
  find(key: string, options: StoreOptions): SendableItem | undefined | Promise<SendableItem | undefined>;
  /** Takes an item that a client puts. Without it nothing can be put. */
  put?(key: string, item: StoredItem, options: StoreOptions): void | Promise<void>;
}

/** What a store is told beside the key. @since 0.1.0 */
export interface StoreOptions {
  /** Given when nobody waits for the item any more. */
  readonly signal: AbortSignal;
}

/** A store over items in memory. @since 0.1.0 */
export interface MemoryStore extends TensorStore {
  /** What it holds; what clients put is added. */
  readonly items: Map<string, SendableItem>;
}

/**
 * Makes a store of items by name, a copy of the record; what clients put is added to its `items`.
 *
 * @example
 * ```ts
 * import { store } from "@sw/hurray";
 * import { memoryStore } from "@sw/hurray/transport";
 * import { arange } from "@sw/tensor";
 *
 * const tensors = memoryStore({ w: store(arange(6)) });
 * console.log([...tensors.items.keys()]); // [ 'w' ]
 * ```
 * @since 0.1.0
 */
export function memoryStore(record: { readonly [key: string]: SendableItem } = {}): MemoryStore {
  const items = new Map(Object.entries(record));
  return {
    items,
    find: (key) => items.get(key),
    put: (key, item) => {
      items.set(key, item);
    },
  };
}
