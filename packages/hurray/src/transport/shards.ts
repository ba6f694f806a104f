import { quote } from "../bytes/quote.js";
import { COVER_STEPS } from "../composite/bind.js";
import { coverOf } from "../composite/cover.js";
import { elementBits, layoutTag } from "../descriptor/descriptor.js";
import type { Descriptor } from "../descriptor/types.js";
import { byteLengthOf } from "../elements.js";
import { HurrayFormatError, HurrayUnsupportedError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { StoredComposite, StoredItem, StoredTensor } from "../stored.js";
import { packElements } from "../values/pack.js";
import { valuesOf } from "../values/values-of.js";
import type { GetOptions, HurrayClient } from "./client.js";
import { checkOptions } from "./hello.js";

/** How shards are put together. @since 0.1.0 */
export interface ShardOptions extends GetOptions {
  /** `"tensor"` makes one row-major tensor of them, `"partition"` a composite whose members they stay; the tensor when absent. */
  readonly as?: "tensor" | "partition";
  /** What it may cost to check that they cover the whole, in corners of their boxes; 2²⁰ when absent. */
  readonly coverSteps?: number;
}

const MAXIMUM_BYTES = 2 ** 31 - 1;
const FLOAT32 = 3;

/**
 * Gets a tensor whose shards several servers have under one key, from all of them at the same time. When one of them
 * fails the others are called off. `maximumBytes` bounds each shard, and the tensor that is made.
 *
 * @throws HurrayFormatError R166 when the shards differ in parent, element type or layout, or do not cover it exactly.
 * @throws HurrayUnsupportedError for quantised shards and types without values, which can be had as a partition.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` beyond `maximumBytes` or `coverSteps`, and everything else as `get`.
 * @since 0.1.0
 */
export async function getShards(
  clients: readonly HurrayClient[],
  key: string,
  options: ShardOptions = {},
): Promise<StoredItem> {
  const operation = `getShards ${quote(key)}`;
  checkOptions(operation, options);
  const { as = "tensor", coverSteps: steps, signal, ...wish } = options;
  const coverSteps = countOption(operation, "coverSteps", steps, 0, COVER_STEPS);
  const shards = await getAll(clients, key, wish, signal);
  const head = headOf(operation, shards, coverSteps);
  const partition: StoredComposite = { descriptor: head, members: shards };
  return as === "partition" ? partition : assemble(operation, partition, wish.maximumBytes ?? MAXIMUM_BYTES);
}

/** Asks everyone at the same time; when one fails, the others are not waited for. */
async function getAll(
  clients: readonly HurrayClient[],
  key: string,
  wish: GetOptions,
  signal: AbortSignal | undefined,
): Promise<StoredItem[]> {
  const others = new AbortController();
  const onAbort = (): void => others.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", onAbort);
  try {
    return await Promise.all(clients.map((client) => client.get(key, { ...wish, signal: others.signal })));
  } catch (error) {
    others.abort(error);
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Checks that items are the shards of one tensor (R166), and describes the partition that they make up. */
function headOf(operation: string, items: readonly StoredItem[], coverSteps: number): Descriptor {
  const refuse = (field: string, problem: string, given: unknown, expected: string): never => {
    throw new HurrayFormatError(operation, "R166", field, 0, problem, given, expected);
  };
  const [first] = items;
  if (first === undefined) return refuse("total_shards", "there are no shards", "no client", "at least 1");
  const { shard } = first.descriptor;
  if (shard === undefined) return refuse("flags", "shard 0 is none", "no shard section", "a shard section");
  const kinds = (d: Descriptor): readonly (readonly [field: string, given: string])[] => [
    ["parent_shape", d.shard === undefined ? "no shard section" : `[${d.shard.parentShape}]`],
    ["type_tag", `${d.typeTag} of ${elementBits(d)} bits`],
    ["layout_tag", `${layoutTag(d)}`],
  ];
  const expected = kinds(first.descriptor);
  items.forEach(({ descriptor }, k) => {
    kinds(descriptor).forEach(([field, given], n) => {
      if (given !== expected[n]![1]) refuse(field, `shard ${k} differs from shard 0`, given, expected[n]![1]);
    });
  });
  const boxes = items.map(({ descriptor: d }) => ({ offset: d.shard!.offset, shape: d.shape }));
  const cover = coverOf(shard.parentShape, boxes, coverSteps, operation);
  if (cover !== "exact") refuse("shard_offset", "the shards do not tile their parent", cover, "an exact cover");
  const { typeTag, quantisation, extensionType } = first.descriptor;
  return {
    versionMinor: 0,
    typeTag: quantisation === undefined ? typeTag : FLOAT32,
    shape: shard.parentShape,
    byteOffset: 0n,
    layout: { kind: "composite", rule: "partition", combine: "none", memberCount: items.length },
    buffers: [],
    ...(extensionType === undefined || quantisation !== undefined ? {} : { extensionType }),
  };
}

/** Makes one row-major tensor of a partition, with the bits that its members have. */
function assemble(operation: string, partition: StoredComposite, maximumBytes: number): StoredTensor {
  const { descriptor, members } = partition;
  if (members.some((member) => member.descriptor.quantisation !== undefined)) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_QUANTISED_UNSUPPORTED",
      `${operation}: quantised shards have no common scheme: got quantised shards, expected plain ones. Ask for a partition.`,
    );
  }
  const { type, elements } = valuesOf(partition, { maximumBytes });
  const count = descriptor.shape.reduce((product, extent) => product * extent, 1n);
  const bytes = new Uint8Array(Number(byteLengthOf(elementBits(descriptor)!, count)));
  packElements(type, elements, bytes);
  const handle = { byteSize: BigInt(bytes.byteLength), alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
  return { descriptor: { ...descriptor, layout: { kind: "rowMajor" }, buffers: [handle] }, buffers: [bytes] };
}
