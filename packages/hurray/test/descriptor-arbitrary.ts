import fc from "fast-check";
import {
  type BufferHandle,
  type Descriptor,
  type DescriptorLayout,
  DYNAMIC,
  ELEMENT_TYPES,
  type ExtensionType,
  type Quantisation,
  type Statistics,
  type TiledForm,
  type TileOrder,
} from "../src/descriptor/index.js";
import { entryOf } from "../src/descriptor/layouts.js";
import { parameterBuffers, parameterSizes, SCHEMES, type Scheme } from "../src/descriptor/schemes.js";

/** Large enough for whatever small shapes ask for. */
const ROOM = 2n ** 50n;
const handle = (byteSize: bigint): BufferHandle => ({
  byteSize,
  alignment: 64,
  deviceTag: 0,
  syncMode: 0,
  memoryClass: 0,
});

const stride = fc.bigInt({ min: -40n, max: 40n });
const perDimension = <T>(rank: number, one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength: rank, maxLength: rank });

const order = (rank: number): fc.Arbitrary<TileOrder> =>
  fc.oneof(
    fc.constantFrom<TileOrder>("rowMajor", "columnMajor"),
    fc.record({ strides: perDimension(rank, fc.bigInt({ min: 0n, max: 40n })) }),
  );

const tiled = (rank: number, depth: number): fc.Arbitrary<TiledForm> =>
  fc.record({
    tile: perDimension(rank, fc.bigInt({ min: 1n, max: 5n })),
    outer: order(rank),
    inner: depth === 8 ? order(rank) : fc.oneof({ weight: 2, arbitrary: order(rank) }, tiled(rank, depth + 1)),
  });

/** A shape and a layout that may have it. */
const placed: fc.Arbitrary<{ shape: bigint[]; layout: DescriptorLayout }> = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.bigInt({ min: 0n, max: 9n }) }, fc.constant(DYNAMIC)), { maxLength: 5 })
  .chain((shape) => {
    const rank = shape.length;
    const nnz = fc.bigInt({ min: 0n, max: 100n });
    const kinds: fc.Arbitrary<DescriptorLayout>[] = [fc.constant({ kind: "rowMajor" })];
    if (rank > 0) {
      kinds.push(
        fc.constant({ kind: "columnMajor" }),
        perDimension(rank, stride).map((strides) => ({ kind: "strided", strides })),
        tiled(rank, 1).map((form) => ({ kind: "tiled", ...form })),
        perDimension(rank, fc.integer({ min: 4, max: 6 })).map((bits) => ({ kind: "morton", bits })),
        fc.record({ kind: fc.constant("coo" as const), nnz, isSorted: fc.boolean() }),
        fc.record({
          kind: fc.constant("composite" as const),
          rule: fc.constantFrom("partition" as const, "group" as const, 0xf0, 0xfe),
          combine: fc.constant("none" as const),
          memberCount: fc.nat(),
        }),
        fc.record({
          kind: fc.constant("composite" as const),
          rule: fc.constant("overlay" as const),
          combine: fc.constantFrom("replace" as const, "add" as const),
          memberCount: fc.nat(),
        }),
        fc.record({
          kind: fc.constant("private" as const),
          tag: fc.integer({ min: 0xf0, max: 0xfe }),
          id: fc.bigInt({ min: 0n, max: DYNAMIC }),
          data: fc.uint8Array({ maxLength: 20 }),
        }),
      );
    }
    if (rank === 2) kinds.push(fc.record({ kind: fc.constantFrom("csr" as const, "csc" as const), nnz }));
    if (rank >= 3) {
      const modes = fc.shuffledSubarray([0, 1, 2, 3, 4].slice(0, rank), { minLength: rank });
      kinds.push(fc.record({ kind: fc.constant("csf" as const), nnz, modeOrder: modes }));
    }
    if (rank === 3) {
      kinds.push(
        fc.record({
          kind: fc.constant("blockPaged" as const),
          pageSize: fc.constantFrom(1, 2, 3, 16),
          numPages: fc.bigInt({ min: 0n, max: 50n }),
          pagedAxis: fc.constant(0),
          numSeqs: fc.nat(9),
          kvRole: fc.nat(2),
          layerIndex: fc.option(fc.nat(), { nil: undefined }),
          indexBits: fc.constantFrom(32 as const, 64 as const),
        }),
      );
    }
    const hilbert = fc
      .integer({ min: 1, max: 3 })
      .map((n) => ({ shape: shape.map(() => 2n ** BigInt(n)), layout: { kind: "hilbert" as const, order: n } }));
    const others = fc.oneof(...kinds).map((layout) => ({ shape, layout }));
    return rank >= 2 ? fc.oneof({ weight: kinds.length, arbitrary: others }, hilbert) : others;
  });

/** A scheme that stores a type, with parameters in buffers after the layout's own; `undefined` where the shape allows none. */
function quantised(
  scheme: Scheme,
  shape: readonly bigint[],
  own: number,
  symmetric: boolean,
): Quantisation | undefined {
  if (scheme === "perTensor") return { scheme, scale: -0.25, zeroPoint: 1 };
  const least = { perChannel: 0n, perBlock: 2n, nf4: 8n, mxfp: 16n }[scheme];
  const axis = shape.findIndex((extent) => extent !== DYNAMIC && extent >= least);
  const zeroPoints = symmetric ? {} : { zeroPointBuffer: own + 1 };
  if (axis < 0) return undefined;
  if (scheme === "perChannel") return { scheme, axis, scaleBuffer: own, ...zeroPoints };
  if (scheme === "perBlock") {
    return { scheme, axis, blockSize: 2, scaleBuffer: own, scaleTypeTag: symmetric ? 1 : 3, ...zeroPoints };
  }
  return { scheme, axis, blockSize: Number(least), scaleBuffer: own };
}

const statistics: fc.Arbitrary<Statistics> = fc.record({
  computedMask: fc.integer({ min: 0, max: 63 }),
  nnz: fc.bigInt({ min: 0n, max: DYNAMIC }),
  sparsityRatio: fc.double(),
  valueMin: fc.double(),
  valueMax: fc.double(),
  valueAbsMax: fc.double(),
  valueMean: fc.double(),
  valueStddev: fc.double(),
  nmN: fc.nat(255),
  nmM: fc.nat(255),
  hasNan: fc.boolean(),
  hasInf: fc.boolean(),
});

const extensionType: fc.Arbitrary<ExtensionType> = fc
  .constantFrom([1, 8], [2, 4], [4, 2], [8, 1], [16, 1], [256, 1])
  .chain(([bitWidth, packingFactor]) =>
    fc.record({
      bitWidth: fc.constant(bitWidth!),
      packingFactor: fc.constant(packingFactor!),
      isFloat: fc.boolean(),
      isSigned: fc.boolean(),
      signBits: fc.nat(1),
      exponentBits: fc.nat(255),
      mantissaBits: fc.nat(255),
      exponentBias: fc.nat(),
      hasNan: fc.boolean(),
      hasInf: fc.boolean(),
    }),
  );

/** Descriptors that a strict reader accepts which knows every private id: every layout, type and section. */
export const descriptors: fc.Arbitrary<Descriptor> = fc
  .record({
    placed,
    type: fc.constantFrom(...ELEMENT_TYPES),
    extension: fc.option(fc.tuple(fc.integer({ min: 0xf0, max: 0xfe }), extensionType), { freq: 6 }),
    scheme: fc.constantFrom(...(Object.keys(SCHEMES) as Scheme[])),
    symmetric: fc.boolean(),
    sections: fc.record({ quantisation: fc.boolean(), shard: fc.boolean(), memberRole: fc.boolean() }),
    role: fc.constantFrom("base" as const, "correction" as const),
    statistics: fc.option(statistics),
    tail: fc.option(fc.uint8Array({ minLength: 1, maxLength: 9 }), { freq: 3 }),
  })
  .map((parts) => {
    const { shape, layout } = parts.placed;
    const { kind } = layout;
    const own = entryOf(kind).bufferCount(shape.length) ?? 2;
    const isHead = kind === "composite";
    const plain = parts.extension === null;
    const stores = plain && SCHEMES[parts.scheme].storage.includes(parts.type.tag) && !isHead && kind !== "blockPaged";
    const quantisation =
      stores && parts.sections.quantisation ? quantised(parts.scheme, shape, own, parts.symmetric) : undefined;
    const sizes = quantisation && parameterSizes(quantisation, shape, layout);
    const buffers = Array.from({ length: own }, () => handle(ROOM));
    for (const index of parameterBuffers(quantisation)) buffers[index] = handle(sizes?.get(index) ?? 5n);
    const canShard = parts.sections.shard && !shape.includes(DYNAMIC) && kind !== "csf" && kind !== "blockPaged";
    return {
      versionMinor: parts.tail === null ? 0 : 3,
      typeTag: parts.extension?.[0] ?? parts.type.tag,
      shape,
      byteOffset: entryOf(kind).layoutClass === "dense" ? ROOM / 2n : 0n,
      layout,
      buffers,
      ...(quantisation && { quantisation }),
      ...(canShard && { shard: { parentShape: shape.map((n) => n + 7n), offset: shape.map((n) => n % 7n) } }),
      ...(parts.statistics && { statistics: parts.statistics }),
      ...(parts.extension && { extensionType: parts.extension[1] }),
      ...(parts.sections.memberRole && !isHead && { memberRole: parts.role }),
      ...(parts.tail && { tail: parts.tail }),
    };
  });
