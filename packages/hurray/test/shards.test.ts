import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Descriptor, type ElementTypeName, elementTypeNamed } from "../src/descriptor/index.js";
import type { StoredItem, StoredTensor } from "../src/stream/index.js";
import {
  connect,
  getShards,
  type HurrayClient,
  memoryStore,
  type ShardOptions,
  serve,
} from "../src/transport/index.js";
import { packElements, quantize, relayout, valuesOf } from "../src/values/index.js";
import { thrown } from "./support.js";
import { bytesTensor, channelPair, expectSame } from "./support-transport.js";

/** A row-major tensor of bytes, floats or bits with the values 0, 1, 2, … */
function counted(type: ElementTypeName, shape: readonly number[]): StoredTensor {
  const count = shape.reduce((product, extent) => product * extent, 1);
  const { tag, bits } = elementTypeNamed(type);
  const codes = type === "float32" ? new Float32Array(count) : new Uint8Array(count);
  for (let k = 0; k < count; k++) codes[k] = type === "uint4" ? k % 16 : k % 256;
  const bytes = new Uint8Array(Math.ceil((count * bits) / 8));
  packElements(type, codes as never, bytes);
  const { descriptor } = bytesTensor(bytes.length);
  return { descriptor: { ...descriptor, typeTag: tag, shape: shape.map(BigInt) }, buffers: [bytes] };
}

/** The box of a row-major tensor, as a shard of it. */
function shardOf(
  whole: StoredTensor,
  type: ElementTypeName,
  offset: readonly number[],
  shape: readonly number[],
): StoredTensor {
  const { elements } = valuesOf(whole);
  const parent = whole.descriptor.shape.map(Number);
  const count = shape.reduce((product, extent) => product * extent, 1);
  const part = elements.slice(0, count);
  for (let k = 0; k < count; k++) {
    let [rest, position, stride] = [k, 0, 1];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      position += (offset[axis]! + (rest % shape[axis]!)) * stride;
      rest = Math.floor(rest / shape[axis]!);
      stride *= parent[axis]!;
    }
    part[k] = elements[position]!;
  }
  const bytes = new Uint8Array(Math.ceil((count * elementTypeNamed(type).bits) / 8));
  packElements(type, part as never, bytes);
  const { descriptor } = counted(type, shape);
  return {
    descriptor: { ...descriptor, shard: { parentShape: parent.map(BigInt), offset: offset.map(BigInt) } },
    buffers: [bytes],
  };
}

/** One server for each item, and a client of each. */
async function clientsOf(items: readonly StoredItem[]): Promise<HurrayClient[]> {
  return Promise.all(
    items.map((w) => {
      const { client, server } = channelPair();
      void serve(server, memoryStore({ w }));
      return connect(client);
    }),
  );
}

const gathered = async (items: readonly StoredItem[], options?: ShardOptions) =>
  getShards(await clientsOf(items), "w", options);

describe("shards of several servers", () => {
  test("R166 boxes that tile a tensor make it up again, whatever its elements and layouts", async () => {
    const extent = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<ElementTypeName>("float32", "uint8", "uint4"),
        fc.tuple(extent, extent, extent),
        fc.array(fc.tuple(fc.nat(2), fc.double({ min: 0.1, max: 0.9, noNaN: true })), { maxLength: 4 }),
        fc.constantFrom("rowMajor", "columnMajor", "coo"),
        async (type, shape, cuts, kind) => {
          const whole = counted(type, shape);
          // Each cut divides the largest box across one axis.
          let boxes = [{ offset: [0, 0, 0], shape: [...shape] as number[] }];
          for (const [axis, share] of cuts) {
            const [box, ...rest] = boxes;
            const at = Math.floor(box!.shape[axis]! * share);
            if (at === 0) continue;
            const upper = { offset: [...box!.offset], shape: [...box!.shape] };
            upper.offset[axis]! += at;
            upper.shape[axis]! -= at;
            box!.shape[axis] = at;
            boxes = [...rest, box!, upper];
          }
          const shards = boxes.map((box) => relayout(shardOf(whole, type, box.offset, box.shape), { kind } as never));
          expectSame(await gathered(shards), whole);
          const partition = await gathered(shards, { as: "partition" });
          expect(valuesOf(partition).elements).toEqual(valuesOf(whole).elements);
          expect("members" in partition && partition.members.length).toBe(shards.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("R166 shards that overlap, leave a gap, or differ are refused", async () => {
    const whole = counted("uint8", [4, 6]);
    const [left, right] = [shardOf(whole, "uint8", [0, 0], [4, 3]), shardOf(whole, "uint8", [0, 3], [4, 3])];
    const changed = (d: Partial<Descriptor>): StoredItem => ({ ...right, descriptor: { ...right.descriptor, ...d } });
    const { shard: _shard, ...plain } = right.descriptor;
    const cases: readonly (readonly [field: string, items: readonly StoredItem[]])[] = [
      ["shard_offset", [left, left]],
      ["shard_offset", [left]],
      ["shard_offset", [left, right, right]],
      ["parent_shape", [left, changed({ shard: { parentShape: [4n, 7n], offset: [0n, 3n] } })]],
      ["parent_shape", [left, { ...right, descriptor: plain }]],
      ["flags", [{ ...right, descriptor: plain }, left]],
      ["type_tag", [left, changed({ typeTag: elementTypeNamed("int8").tag })]],
      ["layout_tag", [left, relayout(right, { kind: "columnMajor" })]],
      ["total_shards", []],
    ];
    for (const [field, items] of cases) {
      const error = await thrown(() => gathered(items));
      expect(error).toMatchObject({ name: "HurrayFormatError", rule: "R166", code: "SW_HURRAY_STREAM_INVALID", field });
      expect(error.message).toContain('getShards "w"');
    }
    expectSame(await gathered([right, left]), whole);
  });

  test("quantised shards stay a partition, and limits hold for the whole", async () => {
    const row = (offset: bigint): StoredTensor => {
      const { descriptor, buffers } = quantize(Float32Array.of(0, 1, 2, 3), [4], {
        scheme: "perTensor",
        storage: "int8",
      });
      return { descriptor: { ...descriptor, shard: { parentShape: [8n], offset: [offset] } }, buffers };
    };
    const items = [row(0n), row(4n)];
    expect(await thrown(() => gathered(items))).toMatchObject({ code: "SW_HURRAY_QUANTISED_UNSUPPORTED" });
    expect(valuesOf(await gathered(items, { as: "partition" })).type).toBe("float32");
    const whole = counted("uint8", [4, 6]);
    const halves = [shardOf(whole, "uint8", [0, 0], [2, 6]), shardOf(whole, "uint8", [2, 0], [2, 6])];
    expect(await thrown(() => gathered(halves, { maximumBytes: 23 }))).toMatchObject({ code: "SW_HURRAY_LIMIT" });
    expect(await thrown(() => gathered(halves, { coverSteps: 1 }))).toMatchObject({ code: "SW_HURRAY_LIMIT" });
    expectSame(await gathered(halves, { maximumBytes: 24 }), whole);
  });

  test("when one server fails the others are called off", async () => {
    const signals: AbortSignal[] = [];
    const slow = channelPair();
    void serve(slow.server, {
      find: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    }).catch(() => {});
    const [good] = await clientsOf([counted("uint8", [3])]);
    const lame = await connect(slow.client);
    expect(await thrown(() => getShards([lame, good!], "none"))).toMatchObject({ errorCode: 2 });
    await lame.ping();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    const signal = AbortSignal.abort(new Error("no"));
    expect((await thrown(() => getShards([good!], "w", { signal }))).message).toBe("no");
  });
});
