import { arange, tensor } from "@sw/tensor";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HurrayLimitError, HurrayLookupError, HurraySourceError, HurrayValueError, load, store } from "../src/index.js";
import {
  openSafetensors,
  type SafetensorsFile,
  type StoredTensor,
  type StreamedTensor,
  safetensorsBytes,
  TYPE_MAPPINGS,
  toStored,
} from "../src/interchange/index.js";
import { quantize, toSparse } from "../src/values/index.js";
import { chunks, fixture, fixtures, foreign, joined, storedOf, tensors, thrown } from "./support-interchange.js";

/** A file with this header, and this many bytes of data. */
function fileOf(header: string, dataLength: number, headerLength?: bigint): Uint8Array {
  const json = Buffer.from(header);
  const bytes = new Uint8Array(8 + json.length + dataLength);
  new DataView(bytes.buffer).setBigUint64(0, headerLength ?? BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.fill(1, 8 + json.length);
  return bytes;
}

const open = (header: string, dataLength: number): Promise<SafetensorsFile> =>
  openSafetensors(fileOf(header, dataLength));

const T = (shape: string, range: string, dtype = '"F32"'): string =>
  `{"t":{"dtype":${dtype},"shape":${shape},"data_offsets":${range}}}`;

describe("files of the reference", () => {
  test.each(fixtures(".safetensors"))(
    "%s reads as it was written, and is written to the same bytes",
    async (file, all) => {
      const bytes = fixture(file);
      const opened = await openSafetensors(bytes);
      expect(opened.names().sort()).toEqual(all.map(({ name }) => name).sort());
      expect(opened.gaps).toEqual([]);
      const entries: [string, StoredTensor][] = [];
      for (const expected of all) {
        const name = expected.name!;
        const stored = await opened.stored(name);
        expect(stored).toEqual(storedOf(expected));
        expect(await toStored(opened.tensor(name))).toEqual(stored);
        expect(opened.descriptor(name)).toEqual(stored.descriptor);
        entries.push([name, stored]);
      }
      const options = opened.metadata.size === 0 ? {} : { metadata: opened.metadata };
      expect(await joined(safetensorsBytes(entries, options))).toEqual(bytes);
    },
  );

  test("metadata is text by key", async () => {
    const { metadata } = await openSafetensors(fixture("types.safetensors"));
    expect([...metadata]).toEqual([["made by", "the reference\n"]]);
  });

  test("a type that has no counterpart hinders no other tensor, and says what to do", async () => {
    const opened = await openSafetensors(fixture("refused-fnuz.safetensors"));
    expect(opened.names()).toEqual(["t"]);
    for (const read of [() => opened.descriptor("t"), () => opened.tensor("t"), () => opened.stored("t")]) {
      expect(await foreign("UNSUPPORTED", "dtype", 22, read)).toBe(
        'read: the type has no counterpart: the type has one zero and its NaN elsewhere, so that its codes mean other numbers: got F8_E4M3FNUZ, expected another (safetensors: dtype of "t", byte 22). Save it as float32 first: x.to(torch.float32).',
      );
    }
  });
});

describe("field case 20: fields are checked against each other and against the file", () => {
  test("the control file loads", async () => {
    const opened = await open(T("[2]", "[0,8]"), 8);
    expect((await opened.stored("t")).buffers[0]).toEqual(new Uint8Array(8).fill(1));
  });

  const at = T("[2]", "[").indexOf("[", 40) + 8;
  test.each([
    ["a shape that needs more than its range", "[1000,1000]", "[0,4]", "got 4, expected 4000000 for shape [1000,1000]"],
    ["an end before the begin", "[2]", "[8,0]", "got 0, expected at least 8"],
    ["a negative begin", "[2]", "[-8,0]", "got -8, expected a whole number"],
    ["an end past the data", "[4]", "[0,16]", "got 16, expected at most 8"],
    ["a place past the data", "[2]", "[1099511627776,1099511627784]", "got 1099511627784, expected at most 8"],
    ["a begin that no number holds", "[2]", "[18446744073709551608,0]", "got 18446744073709551608, expected a whole"],
    ["one end", "[2]", "[0]", "got 1, expected 2"],
    ["three ends", "[2]", "[0,8,8]", "got more than 2, expected 2"],
    ["text", "[2]", '"0..8"', "expected ["],
    ["a fraction", "[2]", "[0,1.5]", "got 1.5, expected a whole number"],
    ["an exponent", "[2]", "[0,8e0]", "got 8e0, expected a whole number"],
    ["a leading zero", "[2]", "[0,08]", "got 08, expected a whole number"],
  ])("%s is refused", async (_, shape, range, message) => {
    const error = await thrown(() => open(T(shape, range), 8));
    expect([error["code"], error["format"], error["field"], error["tensorName"]]).toEqual([
      "SW_HURRAY_FOREIGN_INVALID",
      "safetensors",
      "data_offsets",
      "t",
    ]);
    expect(error["byteOffset"]).toBeGreaterThanOrEqual(at);
    expect(error.message).toContain(message);
  });

  test.each([
    ["2^64 - 1", 2n ** 64n - 1n, "got 18446744073709551615 bytes, expected at most 62"],
    ["one more than the file has", 63n, "got 63 bytes, expected at most 62"],
  ])("a header of length %s is refused before anything is read", async (_, length, message) => {
    const bytes = fileOf(T("[2]", "[0,8]"), 8, length);
    const asked: number[] = [];
    const source = {
      byteLength: bytes.byteLength,
      slice: (start: number, end: number) => {
        asked.push(end - start);
        return bytes.subarray(start, end);
      },
    };
    expect(await foreign("INVALID", "header_length", 0, () => openSafetensors(source))).toContain(message);
    expect(asked).toEqual([8]);
  });

  test("a header beyond the maximum is refused, the format's 100,000,000 bytes or another", async () => {
    const source = { byteLength: 2 ** 30, slice: () => fileOf("", 0, 100_000_001n) };
    expect(await foreign("INVALID", "header_length", 0, () => openSafetensors(source))).toContain(
      "got 100000001 bytes, expected at most 100000000",
    );
    const bytes = fileOf(T("[2]", "[0,8]"), 8);
    await foreign("INVALID", "header_length", 0, () => openSafetensors(bytes, { maximumHeaderBytes: 20 }));
  });

  test("a file shorter than the length of its header is refused", async () => {
    for (const length of [0, 7]) {
      await foreign("INVALID", "header_length", 0, () => openSafetensors(new Uint8Array(length)));
    }
  });

  test("an unknown type is refused by name, whatever its range", async () => {
    for (const range of ["[0,8]", "[0,0]"]) {
      const message = await foreign("UNSUPPORTED", "dtype", 22, () => open(T("[2]", range, '"q9"'), 8));
      expect(message).toContain('got "q9", expected one of BOOL, F4, U8');
    }
  });

  const two = (first: string, second: string): string =>
    `{"a":{"dtype":"U8","shape":[8],"data_offsets":${first}},"b":{"dtype":"U8","shape":[8],"data_offsets":${second}}}`;

  test("tensors that overlap are refused, allowed gaps or not", async () => {
    for (const allowGaps of [false, true]) {
      const error = await thrown(() => openSafetensors(fileOf(two("[0,8]", "[4,12]"), 12), { allowGaps }));
      expect([error["code"], error["field"], error["tensorName"]]).toEqual([
        "SW_HURRAY_FOREIGN_INVALID",
        "data_offsets",
        "b",
      ]);
      expect(error.message).toContain('the range overlaps that of "a": got 4, expected at least 8');
    }
    await expect(openSafetensors(fileOf(two("[4,12]", "[0,8]"), 12))).rejects.toThrow('overlaps that of "b"');
    await expect(openSafetensors(fileOf(two("[0,8]", "[0,8]"), 8))).rejects.toThrow("got 0, expected at least 8");
  });

  test("bytes that no tensor covers are refused, or reported where that is asked for", async () => {
    for (const [first, second, length, gaps] of [
      ["[2,10]", "[10,18]", 18, [[0, 2]]],
      ["[0,8]", "[9,17]", 17, [[8, 9]]],
      ["[0,8]", "[8,16]", 19, [[16, 19]]],
      [
        "[1,9]",
        "[10,18]",
        19,
        [
          [0, 1],
          [9, 10],
          [18, 19],
        ],
      ],
    ] as const) {
      const bytes = fileOf(two(first, second), length);
      const start = bytes.byteLength - length;
      const error = await thrown(() => openSafetensors(bytes));
      expect([error["code"], error["field"]]).toEqual(["SW_HURRAY_FOREIGN_INVALID", "data_offsets"]);
      expect(error.message).toContain(`got bytes ${gaps[0]![0]} to ${gaps[0]![1]} of the data, expected none`);
      const opened = await openSafetensors(bytes, { allowGaps: true });
      expect(opened.gaps).toEqual(gaps.map(([from, to]) => ({ start: start + from, end: start + to })));
      expect((await opened.stored("b")).buffers[0]!.byteLength).toBe(8);
    }
    await expect(open("{}", 1)).rejects.toThrow("no tensor covers some bytes: got bytes 0 to 1");
  });

  test("the message names the tensor, the field and the two numbers that disagree", async () => {
    expect((await thrown(() => open(T("[2]", "[0,16]"), 8))).message).toBe(
      'openSafetensors: the range goes past the end of the data: got 16, expected at most 8 (safetensors: data_offsets of "t", byte 55).',
    );
  });
});

describe("field case 21: sizes that overflow, counts that lie", () => {
  test.each([
    ["[4294967296,4294967296]", '"F32"', 0, "got [4294967296,4294967296], expected at most 2^53 - 1 elements"],
    ["[4611686018427387905,4]", '"U8"', 4, "got 4611686018427387905, expected a whole number"],
    ["[9223372036854775807,2]", '"I8"', 0, "got 9223372036854775807, expected a whole number"],
    ["[9007199254740993]", '"I8"', 0, "got 9007199254740993, expected a whole number"],
    ["[0,9223372036854775807]", '"I8"', 0, "got 9223372036854775807, expected a whole number"],
    ["[0,9007199254740991,3]", '"I8"', 0, "expected at most 2^53 - 1 elements"],
    ["[-1,-4]", '"I8"', 4, "got -1, expected a whole number"],
  ])("shape %s is refused", async (shape, dtype, dataLength, message) => {
    const error = await thrown(() => open(T(shape, `[0,${dataLength}]`, dtype), dataLength));
    expect([error["code"], error["field"]]).toEqual(["SW_HURRAY_FOREIGN_INVALID", "shape"]);
    expect(error.message).toContain(message);
  });

  test("a shape of more dimensions than the format has is refused before the rest is read", async () => {
    const shape = `[${"1,".repeat(64)}1`;
    expect(await foreign("UNSUPPORTED", "shape", 36, () => open(T(shape, "[0,4]"), 4))).toContain(
      "got more than 64, expected at most 64",
    );
    const whole = await open(T(`[${"1,".repeat(63)}1]`, "[0,4]"), 4);
    expect(whole.descriptor("t").shape).toHaveLength(64);
  });

  test("an empty tensor and a scalar load", async () => {
    const empty = await open(T("[0,3]", "[0,0]"), 0);
    expect(load(await empty.stored("t")).tensor.shape).toEqual([0, 3]);
    const scalar = await open(T("[]", "[0,4]"), 4);
    expect(load(await scalar.stored("t")).tensor.shape).toEqual([]);
  });

  test("elements of four bits fill whole bytes", async () => {
    const error = await thrown(() => open(T("[3]", "[0,2]", '"F4"'), 2));
    expect([error["code"], error["field"]]).toEqual(["SW_HURRAY_FOREIGN_INVALID", "shape"]);
    expect((await open(T("[2,2]", "[0,2]", '"F4"'), 2)).descriptor("t").shape).toEqual([2n, 2n]);
  });
});

describe("field case 22: data at any offset", () => {
  const header = `{"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`;
  const bytes = fileOf(header.padEnd(42_854), 8);
  bytes.set(Uint8Array.of(0, 0, 0xc0, 0x3f, 0, 0, 0x10, 0xc0), 42_862);

  test("a header of 42,854 bytes, and a file at byte 1 of its memory, load by copying", async () => {
    const shifted = new Uint8Array(bytes.byteLength + 1);
    shifted.set(bytes, 1);
    for (const input of [bytes, shifted.subarray(1), new Blob([bytes.slice()]), bytes.buffer]) {
      const stored = await (await openSafetensors(input)).stored("t");
      expect(load(stored).tensor.data()).toEqual(Float32Array.of(1.5, -2.25));
    }
  });

  test("a range of 14 bytes for float32 is refused", async () => {
    await expect(open(T("[3]", "[0,14]"), 14)).rejects.toThrow("got 14, expected 12 for shape [3] of F32");
  });
});

describe("the header is JSON of one shape, strictly", () => {
  test.each([
    ["", "header", 8, "does not begin with {"],
    [" {}", "header", 8, "does not begin with {"],
    ["[]", "header", 8, "does not begin with {"],
    ["{", "header", 9, "got the end of the header"],
    ["{} x", "header", 11, "something follows the header"],
    ['{"t":1}', "tensor", 13, 'got "1}", expected {'],
    ['{"t":{}}', "dtype", 15, "the tensor has no such field"],
    ['{"t":{"dtype":"F32","shape":[1]}}', "data_offsets", 40, "the tensor has no such field"],
    ['{"t":{"dtype":1}}', "dtype", 22, 'got "1}}", expected text'],
    ['{"t":{"dtype":"F32","dtype":"F32"}}', "dtype", 28, "the field is there twice"],
    ['{"t":{"type":"F32"}}', "tensor", 14, "a field is unknown"],
    ['{"t":{"dtype":"F32","shape":{}}}', "shape", 36, "expected ["],
    ['{"t":{"dtype":"F32","shape":[1,]}}', "shape", 39, "this is no count"],
    ['{"t":{"dtype":"F32","shape":["1"]}}', "shape", 37, "this is no count"],
    ['{"t":{"dtype":"F32","shape":[true]}}', "shape", 37, "this is no count"],
    ['{"t', "header", 9, "a string does not end"],
    ['{"t\\', "header", 9, "a string does not end"],
    ['{"t\n":1}', "header", 9, "a string does not end"],
    ['{"\\x":1}', "header", 9, "an escape means no character"],
    ['{"\\ud800":1}', "header", 9, "an escape means no character"],
    ['{"__metadata__":"x"}', "__metadata__", 24, "expected {"],
    ['{"__metadata__":{"a":1}}', "__metadata__", 29, 'got "1}}", expected text: metadata'],
    ['{"__metadata__":{"a":null}}', "__metadata__", 29, "expected text: metadata"],
    ['{"__metadata__":{"a":"1","a":"2"}}', "__metadata__", 33, "the same key"],
    ['{"__metadata__":{},"__metadata__":{}}', "name", 27, "the same name"],
  ])("%s", async (header, field, byteOffset, message) => {
    expect(await foreign("INVALID", field, byteOffset, () => open(header, 0))).toContain(message);
  });

  test("a name that is there twice is refused, written with escapes or not", async () => {
    const one = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}';
    expect(await foreign("INVALID", "name", 61, () => open(`{"t":${one},"\\u0074":${one}}`, 0))).toContain(
      'two entries have the same name: got "t"',
    );
  });

  test("places after characters of several bytes are counted in bytes", async () => {
    const header = '{"größe 日本":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}';
    const error = await thrown(() => open(header, 4));
    expect(error["byteOffset"]).toBe(8 + Buffer.from(header).indexOf("[0,8]"));
    expect(error["tensorName"]).toBe("größe 日本");
  });

  test("names may be anything: empty, of the prototype, of many bytes", async () => {
    const one = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}';
    const names = ["", "__proto__", "constructor", "größe", "\u{1f600}", "\u0000", "a/../b"];
    const opened = await open(`{${names.map((name) => `${JSON.stringify(name)}:${one}`).join(" ,\n")}}  `, 0);
    expect(opened.names()).toEqual(names);
    for (const name of names) expect(opened.descriptor(name).shape).toEqual([0n]);
  });

  test("a header that is no UTF-8 is refused", async () => {
    const bytes = fileOf('{"t":1}', 0);
    bytes[10] = 0xff;
    await foreign("INVALID", "header", 8, () => openSafetensors(bytes));
  });

  test("many tensors take no more than linear work", async () => {
    const count = 20_000;
    const fields = Array.from(
      { length: count },
      (_, k) => `"ä${k}":{"dtype":"U8","shape":[1],"data_offsets":[${k},${k + 1}]}`,
    );
    const opened = await open(`{${fields.join()}}`, count);
    expect(opened.names()).toHaveLength(count);
  });
});

describe("reading", () => {
  test("SW_HURRAY_NAME_UNKNOWN an unknown name is refused with those that exist", async () => {
    const opened = await open(T("[2]", "[0,8]"), 8);
    for (const read of [() => opened.descriptor("x"), () => opened.tensor("x"), () => opened.stored("x")]) {
      const error = await thrown(read);
      expect(error).toBeInstanceOf(HurrayLookupError);
      expect([error["code"], error["names"]]).toEqual(["SW_HURRAY_NAME_UNKNOWN", ["t"]]);
    }
  });

  test("a tensor in memory is a window of the file; one in pieces is read from where it lies", async () => {
    const bytes = fileOf(T("[2]", "[0,8]"), 8);
    const stored = await (await openSafetensors(bytes)).stored("t");
    expect(stored.buffers[0]!.buffer).toBe(bytes.buffer);
    const ranges: number[] = [];
    const source = {
      byteLength: 8 + 64 + 8,
      slice: async (start: number, end: number) => {
        ranges.push(start, end);
        return bytes.subarray(start, end);
      },
    };
    const opened = await openSafetensors({ ...source, byteLength: bytes.byteLength });
    const streamed = opened.tensor("t");
    const read = ranges.length;
    await toStored(streamed);
    expect(ranges.slice(read)).toEqual([bytes.byteLength - 8, bytes.byteLength]);
  });

  test("SW_HURRAY_LIMIT a tensor beyond the maximum is refused before it is read", async () => {
    const opened = await open(T("[2]", "[0,8]"), 8);
    for (const read of [
      () => opened.stored("t", { maximumBytes: 7 }),
      () => toStored(opened.tensor("t"), { maximumBytes: 7 }),
    ]) {
      const error = await thrown(read);
      expect(error).toBeInstanceOf(HurrayLimitError);
      expect(error["given"]).toBe(8n);
    }
  });

  test("a source that gives fewer bytes is found out, and one that is aborted is not asked", async () => {
    const bytes = fileOf(T("[2]", "[0,8]"), 8);
    const short = {
      byteLength: bytes.byteLength,
      slice: (start: number, end: number) => bytes.subarray(start, end - 1),
    };
    expect(await thrown(() => openSafetensors(short))).toBeInstanceOf(HurraySourceError);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(openSafetensors(bytes, { signal })).rejects.toBe(reason);
    const opened = await openSafetensors(bytes);
    await expect(opened.stored("t", { signal })).rejects.toBe(reason);
    await expect(toStored(opened.tensor("t", { signal }))).rejects.toBe(reason);
  });

  test("closing lets the source go", async () => {
    let closed = 0;
    const bytes = fileOf("{}", 0);
    const source = {
      byteLength: bytes.byteLength,
      slice: (start: number, end: number) => bytes.subarray(start, end),
      close: async () => {
        closed++;
      },
    };
    await (await openSafetensors(source)).close();
    expect(closed).toBe(1);
  });

  test("TypeError what cannot be read from is refused", async () => {
    for (const wrong of [null, 3, "file", {}]) {
      expect(await thrown(() => openSafetensors(wrong as unknown as Uint8Array))).toBeInstanceOf(TypeError);
    }
  });
});

describe("writing", () => {
  const t = store(arange(6).reshape([2, 3]));
  const writing = (item: unknown, name = "t"): Promise<Uint8Array> =>
    joined(safetensorsBytes([[name, item as StoredTensor]]));

  test("each tensor starts at a multiple of its alignment, the data at one of 8", async () => {
    const bytes = await joined(
      safetensorsBytes({
        *[Symbol.iterator]() {
          yield ["a", store(tensor([true, false, true]))] as const;
          yield ["b", store(tensor([1n]))] as const;
          yield ["c", t] as const;
        },
      }),
    );
    const opened = await openSafetensors(bytes);
    expect(opened.names()).toEqual(["b", "c", "a"]);
    for (const name of ["b", "c"]) expect((await opened.stored(name)).buffers[0]!.byteOffset % 8).toBe(0);
  });

  test("bytes before the elements stay behind, those of pieces too", async () => {
    const descriptor = { ...t.descriptor, byteOffset: 5n, buffers: [{ ...t.descriptor.buffers[0]!, byteSize: 40n }] };
    const bytes = new Uint8Array(40).fill(0xaa);
    bytes.set(t.buffers[0]!, 5);
    const expected = await writing(t);
    expect(await writing({ descriptor, buffers: [bytes] })).toEqual(expected);
    for (const length of [1, 3, 7, 29, 64]) {
      const streamed: StreamedTensor = { descriptor, pieces: () => chunks(bytes, length) };
      expect(await writing(streamed)).toEqual(expected);
    }
  });

  test("a tensor in pieces that ends too early is found out", async () => {
    const streamed: StreamedTensor = { descriptor: t.descriptor, pieces: () => [new Uint8Array(20)] };
    const error = await thrown(() => writing(streamed));
    expect(error).toBeInstanceOf(HurraySourceError);
    expect([error["code"], error["byteOffset"]]).toEqual(["SW_HURRAY_SOURCE_SHORT", 20]);
  });

  test.each([
    ["complex128", { ...t, descriptor: { ...t.descriptor, typeTag: 0x51, shape: [1n] } }, "dtype"],
    ["int4", { ...t, descriptor: { ...t.descriptor, typeTag: 0x48 } }, "dtype"],
    ["a private type", { ...t, descriptor: { ...t.descriptor, typeTag: 0xf0 } }, "type"],
    ["column-major", store(arange(6).reshape([2, 3]).T), "layout"],
    ["sparse", toSparse(t, "coo"), "layout"],
    ["quantised", quantize(Float32Array.of(1, 2), [2], { scheme: "perTensor", storage: "int8" }), "quantisation"],
    ["dynamic", { ...t, descriptor: { ...t.descriptor, shape: [0xffffffffffffffffn] } }, "shape"],
    ["opaque", { ...t, descriptor: { ...t.descriptor, opaque: true } }, "descriptor"],
    ["an odd number of 4-bit floats", { ...t, descriptor: { ...t.descriptor, typeTag: 0x43, shape: [3n] } }, "shape"],
    [
      "on another device",
      { ...t, descriptor: { ...t.descriptor, buffers: [{ ...t.descriptor.buffers[0], deviceTag: 1 }] } },
      "device_tag",
    ],
    ["a composite", { descriptor: { ...t.descriptor, layout: { kind: "composite" } }, members: [] }, "layout"],
  ])("SW_HURRAY_FOREIGN_UNSUPPORTED %s is refused before a byte is written", async (_, item, field) => {
    const error = await thrown(() => safetensorsBytes([["t", item as StoredTensor]]));
    expect([error.name, error["code"], error["field"], error["tensorName"], error["byteOffset"]]).toEqual([
      "HurrayForeignError",
      "SW_HURRAY_FOREIGN_UNSUPPORTED",
      field,
      "t",
      undefined,
    ]);
  });

  test("the message of a refused tensor says what to write instead", async () => {
    expect((await thrown(() => writing(store(arange(6).reshape([2, 3]).T)))).message).toBe(
      'safetensorsBytes: the tensor has no counterpart: safetensors is row-major: got columnMajor, expected plain elements (safetensors: layout of "t"). Write relayout(item, { kind: "rowMajor" }) of @sw/hurray/values.',
    );
  });

  test("SW_HURRAY_VALUE names that are taken, reserved or no text are refused, and buffers that are too short", async () => {
    for (const names of [["a", "a"], ["__metadata__"], ["\ud800"]]) {
      const error = await thrown(() => safetensorsBytes(names.map((name) => [name, t] as const)));
      expect(error).toBeInstanceOf(HurrayValueError);
    }
    const error = await thrown(() => writing({ ...t, buffers: [new Uint8Array(23)] }));
    expect([error["code"], error["field"]]).toEqual(["SW_HURRAY_VALUE", "buffers"]);
    expect(await thrown(() => writing({ ...t, buffers: [] }))).toBeInstanceOf(HurrayValueError);
  });

  test("TypeError what is no tensor, and metadata that is no text, is refused", async () => {
    for (const wrong of [null, 3, {}]) expect(await thrown(() => writing(wrong))).toBeInstanceOf(TypeError);
    const metadata = { a: 1 } as unknown as { a: string };
    expect(await thrown(() => safetensorsBytes([], { metadata }))).toBeInstanceOf(TypeError);
  });

  test("TypeError what is no list of names and tensors is refused, and not taken for an empty one", async () => {
    for (const wrong of [{ t }, null, "t", [t], [["t"]]]) {
      const error = await thrown(() => safetensorsBytes(wrong as unknown as Map<string, StoredTensor>));
      expect(error).toBeInstanceOf(TypeError);
    }
    expect((await thrown(() => safetensorsBytes({ t } as unknown as Map<string, StoredTensor>))).message).toBe(
      "safetensorsBytes: not names and tensors: got object, expected a Map, or a list of [name, tensor]. Of an object: Object.entries(object).",
    );
  });

  test("metadata is written from an object or a map", async () => {
    for (const metadata of [
      { a: "1\n", ä: "2" },
      new Map([
        ["a", "1\n"],
        ["ä", "2"],
      ]),
    ]) {
      const opened = await openSafetensors(await joined(safetensorsBytes([], { metadata })));
      expect([...opened.metadata]).toEqual([
        ["a", "1\n"],
        ["ä", "2"],
      ]);
    }
  });

  test("every type that has a counterpart comes back bit for bit, in pieces of any length", async () => {
    const types = TYPE_MAPPINGS.filter(({ safetensors }) => safetensors !== undefined).map(({ type }) => type);
    await fc.assert(
      fc.asyncProperty(tensors(types, ["rowMajor"]), fc.integer({ min: 1, max: 40 }), async (item, length) => {
        const pieces = (): Iterable<Uint8Array> => chunks(item.buffers[0]!, length);
        const bytes = await joined(safetensorsBytes([["t", { descriptor: item.descriptor, pieces }]]));
        const opened = await openSafetensors(bytes);
        expect(await opened.stored("t")).toEqual(item);
        expect(await toStored(opened.tensor("t"))).toEqual(item);
      }),
    );
  });
});
