import { arange, tensor } from "@sw/tensor";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HurraySourceError, HurrayValueError, load, store } from "../src/index.js";
import { npyBytes, readNpy, type StoredTensor, TYPE_MAPPINGS, toStored } from "../src/interchange/index.js";
import { quantize, toSparse } from "../src/values/index.js";
import { chunks, fixture, fixtures, foreign, joined, storedOf, tensors, thrown } from "./support-interchange.js";

/** A file with this dictionary, which is not padded, and this data. */
function fileOf(dictionary: string, data: Uint8Array | number, version = 1): Uint8Array {
  const text = Buffer.from(dictionary, "utf8");
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  length.writeUIntLE(text.length, 0, length.length);
  const bytes = typeof data === "number" ? new Uint8Array(data) : data;
  return new Uint8Array(
    Buffer.concat([Buffer.from("\x93NUMPY", "latin1"), Buffer.of(version, 0), length, text, bytes]),
  );
}

const D = (shape: string, descr = "'<f4'", order = "False"): string =>
  `{'descr': ${descr}, 'fortran_order': ${order}, 'shape': ${shape}, }`;

const read = async (bytes: Uint8Array): Promise<StoredTensor> => toStored(await readNpy(bytes));

describe("files of NumPy", () => {
  test.each(fixtures(".npy"))("%s reads as it was written, from bytes and from pieces", async (file, [expected]) => {
    const bytes = fixture(file);
    const item = storedOf(expected!);
    expect(await read(bytes)).toEqual(item);
    for (const length of [1, 3, 7, 64, 1000]) {
      expect(await toStored(await readNpy(chunks(bytes, length)))).toEqual(item);
    }
    expect(await toStored(await readNpy(new Blob([bytes.slice()]).stream()))).toEqual(item);
  });

  test.each(fixtures(".npy").filter(([file]) => !/big|version/.test(file)))(
    "%s is written to the same bytes",
    async (file, [expected]) => {
      expect(await joined(npyBytes(storedOf(expected!)))).toEqual(fixture(file));
    },
  );

  test.each([
    ["object", "Python objects are programs"],
    ["bytes", "text has no counterpart"],
    ["text", "text has no counterpart"],
    ["void", "bytes without a type"],
    ["bfloat16", "bytes without a type"],
    ["record", "records of several fields"],
    ["record-names", "records of several fields"],
    ["longdouble", "a long double has another meaning on each machine"],
    ["clongdouble", "a complex long double has"],
    ["date", "dates have no counterpart"],
    ["span", "time spans have no counterpart"],
  ])("SW_HURRAY_FOREIGN_UNSUPPORTED %s is refused with the reason", async (name, reason) => {
    const bytes = fixture(`refused-${name}.npy`);
    const at = bytes[6] === 1 ? 20 : 22;
    expect(await foreign("UNSUPPORTED", "descr", at, () => readNpy(bytes))).toContain(reason);
  });

  test("the message of a refused type says what to type instead", async () => {
    expect((await thrown(() => readNpy(fixture("refused-bfloat16.npy")))).message).toBe(
      'readNpy: the type has no counterpart: bytes without a type may mean anything: bfloat16 and float8 of ml_dtypes are saved like this: got "<V2", expected a type of numbers (npy: descr, byte 20). Save a type that NumPy has: x.astype("float32"), or the bits, x.view("uint16").',
    );
  });
});

describe("the header is a literal of one shape, strictly", () => {
  test.each([
    [D("(2,)"), [2n]],
    [D("(2L, 3L)"), [2n, 3n]],
    [D("()"), []],
    [D("(2,3)"), [2n, 3n]],
    [D("(2, 3 ,)"), [2n, 3n]],
    [`{"shape":(1,),"fortran_order":False,"descr":"<f4"}`, [1n]],
    [` \n{'shape': (0, 3),\t'fortran_order': True , 'descr' : '=f4' , } \n\n`, [0n, 3n]],
  ])("%s is accepted", async (dictionary, shape) => {
    const count = shape.reduce((product, extent) => product * Number(extent), 1);
    expect((await readNpy(fileOf(dictionary, count * 4))).descriptor.shape).toEqual(shape);
  });

  test.each([
    ["", "header", 10, "got the end of the header, expected {"],
    ["[]", "header", 10, "expected {"],
    ["{", "header", 11, "expected text in quotes"],
    ["{}", "descr", 12, "the header has no such key"],
    ["{'descr': '<f4', 'fortran_order': False}", "shape", 50, "the header has no such key"],
    ["{descr: '<f4'}", "header", 11, "expected text in quotes"],
    ["{'descr' '<f4'}", "descr", 19, "expected :"],
    ["{'descr': '<f4'", "header", 25, "expected }"],
    ["{'descr': '<f4' 'shape': (1,)}", "header", 26, "expected }"],
    ["{'descr': '<f4', 'descr': '<f4'}", "descr", 27, "the key is there twice"],
    ["{'other': 1}", "header", 11, "a key is unknown"],
    ["{'__proto__': 1}", "header", 11, "a key is unknown"],
    ["{'de\\x73cr': '<f4'}", "header", 11, "expected text in quotes"],
    [`${D("(1,)")} x`, "header", 68, "something follows the header"],
    [D("(1,)", "'<f4'", "0"), "fortran_order", 44, "expected True or False"],
    [D("(1,)", "'<f4'", "false"), "fortran_order", 44, "expected True or False"],
    [D("1"), "shape", 60, "expected ("],
    [D("(1)"), "shape", 60, "the shape is a number: got (1), expected a tuple: (1,)"],
    [D("[1]"), "shape", 60, "expected ("],
    [D("(-1,)"), "shape", 61, "expected a whole number"],
    [D("(1.5,)"), "shape", 61, "expected a whole number"],
    [D("(0x10,)"), "shape", 61, "expected a whole number"],
    [D("(01,)"), "shape", 61, "expected a whole number"],
    [D("(,)"), "shape", 61, "expected a whole number"],
    [D("(True,)"), "shape", 61, "expected a whole number"],
    [D("(2**3,)"), "shape", 62, "expected )"],
    [D("(__import__('os').system('true'),)"), "shape", 61, "expected a whole number"],
    [D("(1,)", "'<q9'"), "descr", 20, "the type is not known"],
    [D("(1,)", "''"), "descr", 20, "the type is not known"],
    [D("(1,)", "'<'"), "descr", 20, "the type is not known"],
    [D("(1,)", "'float32'"), "descr", 20, "the type is not known"],
    [D("(1,)", "'|f4'"), "descr", 20, 'the type has no byte order: got "|f4", expected "<f4" or ">f4"'],
    [D("(1,)", "1"), "descr", 20, "expected text in quotes"],
    [D("(1,)", "None"), "descr", 20, "expected text in quotes"],
  ])("%s is refused", async (dictionary, field, byteOffset, message) => {
    expect(await foreign("INVALID", field, byteOffset, () => readNpy(fileOf(dictionary, 4)))).toContain(message);
  });

  test("byte orders are <, >, = and none for types of one byte", async () => {
    const values = Uint8Array.of(0, 1, 2, 3);
    const of = async (descr: string, count: number): Promise<unknown> =>
      load(await read(fileOf(D(`(${count},)`, descr), values))).tensor.data();
    expect(await of("'<u2'", 2)).toEqual(Uint16Array.of(0x100, 0x302));
    expect(await of("'=u2'", 2)).toEqual(Uint16Array.of(0x100, 0x302));
    expect(await of("'u2'", 2)).toEqual(Uint16Array.of(0x100, 0x302));
    expect(await of("'>u2'", 2)).toEqual(Uint16Array.of(1, 0x203));
    for (const order of ["|", "<", ">", "="]) expect(await of(`'${order}u1'`, 4)).toEqual(values);
  });

  test("a bool is any byte: NumPy too takes everything but 0 as true", async () => {
    expect((await read(fileOf(D("(4,)", "'|b1'"), Uint8Array.of(0, 1, 2, 255)))).buffers[0]).toEqual(Uint8Array.of(14));
  });

  test("a header that is longer than accepted is refused before it is read", async () => {
    const version2 = (length: number): Uint8Array => {
      const bytes = new Uint8Array(12);
      bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 2, 0]);
      new DataView(bytes.buffer).setUint32(8, length, true);
      return bytes;
    };
    expect(await foreign("INVALID", "header_length", 8, () => readNpy(version2(0xffffffff)))).toContain(
      "got 4294967295 bytes, expected at most 65536",
    );
    await foreign("INVALID", "header", 12, () => readNpy(version2(10)));
    const bytes = fileOf(D("(1,)"), 4);
    await foreign("INVALID", "header_length", 8, () => readNpy(bytes, { maximumHeaderBytes: 10 }));
  });

  test("what is no npy file, or of another version, is refused", async () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(7)]) {
      await foreign("INVALID", "magic", 0, () => readNpy(bytes));
    }
    expect(
      await foreign("INVALID", "magic", 0, () => readNpy(new TextEncoder().encode("PK\x03\x04 an archive"))),
    ).toContain("got 50 4b 03 04 20 61, expected 93 4e 55 4d 50 59");
    for (const version of [0, 4, 255]) {
      await foreign("UNSUPPORTED", "version", 6, () => readNpy(fileOf(D("(1,)"), 4, version)));
    }
    const bytes = fileOf(D("(1,)"), 4);
    bytes[7] = 1;
    await foreign("UNSUPPORTED", "version", 6, () => readNpy(bytes));
  });
});

describe("field case 21: sizes that overflow, counts that lie", () => {
  test.each([
    ["(4294967296, 4294967296)", 60, "got [4294967296,4294967296], expected at most 2^53 - 1 elements"],
    ["(9007199254740993,)", 61, "the size is too large"],
    ["(0, 9223372036854775807)", 64, "the size is too large"],
    [`(1${"0".repeat(1000)},)`, 61, "the size is too large"],
  ])("shape %s is refused", async (shape, byteOffset, message) => {
    expect(await foreign("INVALID", "shape", byteOffset, () => readNpy(fileOf(D(shape), 4)))).toContain(message);
  });

  test("more dimensions than the format has are refused", async () => {
    await foreign("UNSUPPORTED", "shape", 60, () => readNpy(fileOf(D(`(${"1,".repeat(65)})`), 4)));
  });

  test("data of another length is refused at once from a file, at its end from a stream", async () => {
    for (const [length, given] of [
      [4, "got "],
      [12, "got "],
    ] as const) {
      const bytes = fileOf(D("(2,)"), length);
      const start = bytes.byteLength - length;
      expect(await foreign("INVALID", "data", start, () => readNpy(bytes))).toContain(
        `${given}${bytes.byteLength} bytes, expected ${start + 8}`,
      );
      const streamed = await readNpy([bytes]);
      await foreign("INVALID", "data", Math.min(start + 8, bytes.byteLength), () => toStored(streamed));
    }
  });

  test("what is declared and does not come is not allocated", async () => {
    const streamed = await readNpy([fileOf(D("(1073741824,)"), 4)]);
    const error = await thrown(() => toStored(streamed, { maximumBytes: 2 ** 40 }));
    expect(error["code"]).toBe("SW_HURRAY_FOREIGN_INVALID");
  });
});

describe("reading", () => {
  test("SW_HURRAY_CLOSED the data is given once", async () => {
    const streamed = await readNpy(fileOf(D("(1,)"), 4));
    await toStored(streamed);
    const error = await thrown(() => toStored(streamed));
    expect(error).toBeInstanceOf(HurraySourceError);
    expect(error["code"]).toBe("SW_HURRAY_CLOSED");
  });

  test("an input that is refused, and one that is left early, is let go", async () => {
    let closed = 0;
    async function* input(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
      try {
        yield* chunks(bytes, 8);
      } finally {
        closed++;
      }
    }
    await thrown(() => readNpy(input(new Uint8Array(100))));
    expect(closed).toBe(1);
    const streamed = await readNpy(input(fileOf(D("(100,)"), 400)));
    for await (const _ of streamed.pieces(0)) break;
    expect(closed).toBe(2);
  });

  test("an aborted signal ends it", async () => {
    const reason = new Error("enough");
    const bytes = fileOf(D("(1,)"), 4);
    for (const input of [bytes, [bytes]]) {
      await expect(readNpy(input, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    }
  });

  test("TypeError what gives no bytes is refused", async () => {
    for (const wrong of [null, 3, {}, ["text"]]) {
      expect(await thrown(() => readNpy(wrong as unknown as Uint8Array))).toBeInstanceOf(TypeError);
    }
  });
});

describe("writing", () => {
  const t = store(arange(6).reshape([2, 3]));

  test("the data starts at a multiple of 64, whatever the shape", async () => {
    for (const rank of [0, 1, 2, 17, 64]) {
      const shape = new Array<bigint>(rank).fill(1n);
      const bytes = await joined(npyBytes({ descriptor: { ...t.descriptor, shape }, buffers: t.buffers }));
      expect((bytes.byteLength - 4) % 64).toBe(0);
      expect((await readNpy(bytes)).descriptor.shape).toEqual(shape);
    }
  });

  test("a transposed matrix is written in Fortran order, without being moved", async () => {
    const bytes = await joined(npyBytes(store(arange(6).reshape([2, 3]).T)));
    expect(Buffer.from(bytes.subarray(10, 80)).toString()).toContain(
      "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }",
    );
    expect(bytes.subarray(128)).toEqual(t.buffers[0]);
  });

  test.each([
    ["bfloat16", { ...t, descriptor: { ...t.descriptor, typeTag: 2 } }, "descr"],
    ["float8", { ...t, descriptor: { ...t.descriptor, typeTag: 0x40 } }, "descr"],
    ["float128", { ...t, descriptor: { ...t.descriptor, typeTag: 0x46, shape: [1n] } }, "descr"],
    ["sparse", toSparse(t, "csr"), "layout"],
    ["quantised", quantize(Float32Array.of(1, 2), [2], { scheme: "perTensor", storage: "int8" }), "quantisation"],
  ])("SW_HURRAY_FOREIGN_UNSUPPORTED %s is refused, and the message says what to write", async (_, item, field) => {
    expect(await foreign("UNSUPPORTED", field, undefined, () => npyBytes(item as StoredTensor))).toMatch(/Write /);
  });

  test("SW_HURRAY_VALUE buffers that are too short are refused; TypeError what is no tensor", async () => {
    expect(await thrown(() => npyBytes({ ...t, buffers: [new Uint8Array(3)] }))).toBeInstanceOf(HurrayValueError);
    expect(await thrown(() => npyBytes(tensor([1]) as unknown as StoredTensor))).toBeInstanceOf(TypeError);
  });

  test("every type that has a counterpart comes back bit for bit, in both orders", async () => {
    const types = TYPE_MAPPINGS.filter(({ npy }) => npy !== undefined).map(({ type }) => type);
    await fc.assert(
      fc.asyncProperty(
        tensors(types, ["rowMajor", "columnMajor"]),
        fc.integer({ min: 1, max: 40 }),
        async (item, length) => {
          const pieces = (): Iterable<Uint8Array> => chunks(item.buffers[0]!, length);
          const bytes = await joined(npyBytes({ descriptor: item.descriptor, pieces }));
          expect(await read(bytes)).toEqual(item);
          expect(await toStored(await readNpy(chunks(bytes, length)))).toEqual(item);
        },
      ),
    );
  });
});
