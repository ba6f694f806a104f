import { quote } from "../bytes/quote.js";
import { createBinder } from "../composite/bind.js";
import type { StoredItem } from "../stored.js";
import type { FileTrailer } from "./frame.js";
import type { IndexEntry } from "./index-section.js";
import type { Located } from "./regions.js";

/** What reading items needs of an open file; a `HurrayFile` has it. @since 0.1.0 */
export interface ItemFile {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  readonly trailer: FileTrailer;
  locate(name: string, options?: ItemOptions): Promise<Located>;
  buffers(tensor: Located, options?: ItemOptions): Promise<readonly Uint8Array[]>;
}

/** How a composite of a file is read. @since 0.1.0 */
export interface ItemOptions {
  /** What it may cost to check that members cover a partition, in corners of their boxes; 2²⁰ when absent. */
  readonly coverSteps?: number;
  readonly signal?: AbortSignal;
}

/**
 * Reads a tensor or a whole composite as it is in the file: descriptors and buffers, checked by the rules for
 * composites. Members are the next tensors in the order of descriptors, whatever the order of the index. Buffers may
 * be windows of the source's memory.
 *
 * @throws HurrayLookupError, HurraySourceError.
 * @throws HurrayFormatError when a rule is broken; R121 where the file ends before the last member.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when a partition takes too many steps to check.
 * @since 0.1.0
 */
export async function readItem(file: ItemFile, name: string, options: ItemOptions = {}): Promise<StoredItem> {
  return (await bind(file, name, options, (located) => file.buffers(located, options))).item;
}

/**
 * Names the members of a composite, in their order: the tensors and the heads directly under it. Reads descriptors,
 * and no data. A tensor has no members.
 *
 * @throws As `readItem`.
 * @since 0.1.0
 */
export async function memberNames(file: ItemFile, name: string, options: ItemOptions = {}): Promise<readonly string[]> {
  return (await bind(file, name, options, async () => [])).names;
}

/** Walks from a tensor through all that it binds; `read` gives the buffers of each one. */
async function bind(
  file: ItemFile,
  name: string,
  options: ItemOptions,
  read: (located: Located) => Promise<readonly Uint8Array[]>,
): Promise<{ readonly item: StoredItem; readonly names: readonly string[] }> {
  const names: string[] = [];
  const binder = createBinder({ ...options, operation: `read ${quote(name)}` });
  const located = await file.locate(name, options);
  const { descriptor } = located;
  if (descriptor.layout.kind !== "composite") return { item: { descriptor, buffers: await read(located) }, names };
  const order = orderOf(file.entries);
  let item: StoredItem | undefined;
  for (let at = order.findIndex((entry) => entry.name === name); item === undefined; at++) {
    const entry = order[at];
    if (entry === undefined) {
      // Refuses the composite: the file ends before its last member.
      binder.end(Number(file.trailer.indexOffset));
      break;
    }
    const next = entry.name === name ? located : await file.locate(entry.name, options);
    if (binder.open === 1) names.push(entry.name);
    binder.begin(next.descriptor, Number(entry.descriptorOffset));
    item = binder.finish(await read(next));
  }
  return { item: item!, names };
}

/** Indexes in the order of descriptors, which is what binds members to heads. */
const ORDERS = new WeakMap<ReadonlyMap<string, IndexEntry>, readonly IndexEntry[]>();

function orderOf(entries: ReadonlyMap<string, IndexEntry>): readonly IndexEntry[] {
  const known = ORDERS.get(entries);
  if (known !== undefined) return known;
  const order = [...entries.values()].sort((a, b) => Number(a.descriptorOffset - b.descriptorOffset));
  ORDERS.set(entries, order);
  return order;
}
