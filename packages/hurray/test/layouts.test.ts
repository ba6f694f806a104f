import { describe, expect, test } from "vitest";
import {
  type Descriptor,
  DYNAMIC,
  dataRange,
  decodeDescriptor,
  encodeDescriptor,
  type TiledForm,
} from "../src/descriptor/index.js";
import { bytesOf, thrown, vectors } from "./support.js";

const HANDLE = { byteSize: 4096n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
const PLAIN: Descriptor = {
  versionMinor: 0,
  typeTag: 3,
  shape: [4n, 4n],
  byteOffset: 0n,
  layout: { kind: "rowMajor" },
  buffers: [HANDLE],
};
const PAGED: Descriptor = {
  ...PLAIN,
  typeTag: 0x10,
  shape: [9n, 2n, 8n],
  layout: {
    kind: "blockPaged",
    pageSize: 4,
    numPages: 5n,
    pagedAxis: 0,
    numSeqs: 2,
    kvRole: 0,
    layerIndex: undefined,
    indexBits: 32,
  },
  buffers: [HANDLE, HANDLE, HANDLE],
};
const SHARD = { parentShape: [9n, 9n, 9n], offset: [0n, 0n, 0n] };

/** The rule that writing breaks, since what is written is read back. */
const ruleOf = async (d: Descriptor): Promise<unknown> => (await thrown(() => encodeDescriptor(d)))["rule"];

describe("rules of layouts that no vector breaks", () => {
  test("R24 a Morton dimension has a bit at least", async () => {
    expect(await ruleOf({ ...PLAIN, layout: { kind: "morton", bits: [2, 0] } })).toBe("R24");
  });

  test("R25 a Morton dimension is no longer than its bits reach", async () => {
    const error = await thrown(() => encodeDescriptor({ ...PLAIN, layout: { kind: "morton", bits: [2, 1] } }));
    expect(error).toMatchObject({ rule: "R25", field: "morton_bits", byteOffset: 48, given: "1 bits" });
  });

  test("R31 CSF has three dimensions at least", async () => {
    const layout = { kind: "csf", nnz: 0n, modeOrder: [0, 1] } as const;
    expect(await ruleOf({ ...PLAIN, layout, buffers: Array(5).fill(HANDLE) })).toBe("R31");
  });

  test("R39 reserved bytes of a paged layout are zero", async () => {
    const bytes = encodeDescriptor(PAGED);
    bytes[20 + 24 + 8 + 26] = 1;
    expect(await thrown(() => decodeDescriptor(bytes))).toMatchObject({ rule: "R39", byteOffset: 78 });
  });

  test("R40 a paged tensor is no shard; R33 CSF is none either", async () => {
    expect(await ruleOf({ ...PAGED, shard: SHARD })).toBe("R40");
    const layout = { kind: "csf", nnz: 0n, modeOrder: [2, 0, 1] } as const;
    expect(await ruleOf({ ...PAGED, layout, shard: SHARD, buffers: Array(7).fill(HANDLE) })).toBe("R33");
  });

  test("R42 channels of a paged tensor are heads or components, never tokens", async () => {
    const channels = (axis: number): Descriptor => ({
      ...PAGED,
      buffers: [HANDLE, HANDLE, HANDLE, { ...HANDLE, byteSize: 4n * PAGED.shape[axis]! }],
      quantisation: { scheme: "perChannel", axis, scaleBuffer: 3 },
    });
    expect(decodeDescriptor(encodeDescriptor(channels(2)))).toEqual(channels(2));
    expect(await ruleOf(channels(0))).toBe("R42");
  });

  test("R41, R85 blocks of a paged tensor are its pages, with parameters for each place of each page", async () => {
    const blocks = (blockSize: number, byteSize: bigint): Descriptor => ({
      ...PAGED,
      shape: [3n, 2n, 8n],
      buffers: [HANDLE, HANDLE, HANDLE, { ...HANDLE, byteSize }],
      quantisation: { scheme: "perBlock", axis: 0, blockSize, scaleBuffer: 3, scaleTypeTag: 1 },
    });
    // Longer than the axis, which matters to other layouts only (R79).
    expect(decodeDescriptor(encodeDescriptor(blocks(4, 40n)))).toEqual(blocks(4, 40n));
    expect(await ruleOf(blocks(2, 40n))).toBe("R41");
    const error = await thrown(() => encodeDescriptor(blocks(4, 38n)));
    // At the handle: header, shape, byte offset, payload, count, three handles.
    expect(error).toMatchObject({ rule: "R85", field: "byte_size", byteOffset: 20 + 24 + 8 + 32 + 1 + 48 });
  });

  test("R48, R50 a composite has neither buffers nor a quantisation", async () => {
    const head: Descriptor = {
      ...PLAIN,
      typeTag: 0x10,
      layout: { kind: "composite", rule: "group", combine: "none", memberCount: 2 },
      buffers: [],
    };
    expect(decodeDescriptor(encodeDescriptor(head))).toEqual(head);
    expect(await ruleOf({ ...head, buffers: [HANDLE] })).toBe("R48");
    const quantisation = { scheme: "perTensor", scale: 1, zeroPoint: 0 } as const;
    expect(await ruleOf({ ...head, quantisation })).toBe("R50");
    expect(await ruleOf({ ...head, byteOffset: 8n })).toBe("R49");
  });

  test("R18 sparse and paged tensors start at the first byte", async () => {
    expect(await ruleOf({ ...PAGED, byteOffset: 1n })).toBe("R18");
    const coo: Descriptor = { ...PLAIN, layout: { kind: "coo", nnz: 1n, isSorted: true }, buffers: [HANDLE, HANDLE] };
    expect(await ruleOf({ ...coo, byteOffset: 4n })).toBe("R18");
  });
});

describe("how large a buffer must be", () => {
  const needs = async (d: Descriptor, sizes: readonly bigint[]): Promise<void> => {
    const buffers = sizes.map((byteSize) => ({ ...HANDLE, byteSize }));
    expect(decodeDescriptor(encodeDescriptor({ ...d, buffers })).buffers).toEqual(buffers);
    for (const [k, byteSize] of sizes.entries()) {
      if (byteSize === 0n) continue;
      const short = buffers.map((handle, n) => (n === k ? { ...handle, byteSize: byteSize - 1n } : handle));
      expect(await ruleOf({ ...d, buffers: short }), `buffer ${k}`).toBe("R65");
    }
  };

  test("R65 COO, CSR, CSC: values, coordinates and pointers", async () => {
    const shape = [4n, 7n];
    await needs({ ...PLAIN, shape, layout: { kind: "coo", nnz: 3n, isSorted: false } }, [12n, 48n]);
    await needs({ ...PLAIN, shape, layout: { kind: "csr", nnz: 3n } }, [12n, 24n, 40n]);
    await needs({ ...PLAIN, shape, layout: { kind: "csc", nnz: 3n } }, [12n, 24n, 64n]);
    await needs({ ...PLAIN, shape: [DYNAMIC, 7n], layout: { kind: "csr", nnz: 3n } }, [12n, 24n, 0n]);
  });

  test("R65 CSF: the ends of every level, and what the leaves have", async () => {
    const layout = { kind: "csf", nnz: 3n, modeOrder: [1, 2, 0] } as const;
    await needs({ ...PLAIN, shape: [4n, 7n, 2n], layout }, [12n, 16n, 0n, 8n, 0n, 8n, 24n]);
  });

  test("R65 paged: the pool and the pointers, whatever the number of tokens", async () => {
    await needs({ ...PAGED, shape: [DYNAMIC, 2n, 8n] }, [320n, 0n, 12n]);
    await needs({ ...PAGED, layout: { ...PAGED.layout, indexBits: 64 } as Descriptor["layout"] }, [320n, 0n, 24n]);
  });

  test("R65 tiled: edge tiles are whole, and strided tiles reach as far as their strides", async () => {
    const form: TiledForm = { tile: [2n, 4n], outer: "rowMajor", inner: "columnMajor" };
    await needs({ ...PLAIN, shape: [5n, 7n], layout: { kind: "tiled", ...form } }, [192n]);
    const strided: TiledForm = { tile: [2n, 4n], outer: { strides: [3n, 1n] }, inner: { strides: [1n, 2n] } };
    // Tile 7 of 3·2+1·1, then element 1·1+2·3 = 7 of 8.
    await needs({ ...PLAIN, shape: [5n, 7n], layout: { kind: "tiled", ...strided } }, [256n]);
    const back: TiledForm = { ...form, outer: { strides: [-2n, -1n] } };
    const reversed: Descriptor = { ...PLAIN, shape: [5n, 7n], layout: { kind: "tiled", ...back }, byteOffset: 160n };
    expect(dataRange(reversed)).toEqual({ start: 0n, end: 192n });
    expect(await ruleOf({ ...reversed, byteOffset: 156n })).toBe("R65");
  });

  test("A5 Morton with unequal bits reaches as far as its largest code, and hostile bits cost nothing", async () => {
    await needs({ ...PLAIN, shape: [2n, 8n], layout: { kind: "morton", bits: [1, 3] } }, [4n * 44n]);
    expect(await ruleOf({ ...PLAIN, layout: { kind: "morton", bits: [0xffffffff, 0xffffffff] } })).toBe("R65");
    expect(await ruleOf({ ...PLAIN, typeTag: 0x20, layout: { kind: "morton", bits: [40, 40] } })).toBe("R65");
  });
});

test("R23 a tiled form that contains itself is refused, not followed for ever", async () => {
  const form: { -readonly [K in keyof TiledForm]: TiledForm[K] } = {
    tile: [2n, 2n],
    outer: "rowMajor",
    inner: "rowMajor",
  };
  form.inner = form;
  expect(await ruleOf({ ...PLAIN, layout: { kind: "tiled", ...form } })).toBe("R23");
});

test("R12 what is no layout is not written", async () => {
  const layout = { kind: "diagonal" } as unknown as Descriptor["layout"];
  expect(await ruleOf({ ...PLAIN, layout })).toBe("R12");
});

test("lists of a layout that are not as long as the shape are refused", async () => {
  const wrong: Descriptor["layout"][] = [
    { kind: "strided", strides: [1n] },
    { kind: "morton", bits: [2, 2, 2] },
    { kind: "tiled", tile: [2n], outer: "rowMajor", inner: "rowMajor" },
    { kind: "tiled", tile: [2n, 2n], outer: { strides: [] }, inner: "rowMajor" },
  ];
  for (const layout of wrong) {
    expect((await thrown(() => encodeDescriptor({ ...PLAIN, layout })))["code"]).toBe("SW_HURRAY_VALUE");
  }
});

test("bytes of a layout that were read are not those of the input", () => {
  const c = vectors("descriptor").find((v) => v.id === "private-fe-long")!;
  const bytes = bytesOf(c);
  const { layout } = decodeDescriptor(bytes, { accept: () => true });
  bytes.fill(0xee);
  expect(layout).toMatchObject({ kind: "private" });
  if (layout.kind === "private") expect(layout.data[5]).toBe(5);
});
