import { describe, expectTypeOf, test } from "vitest";
import { BufferPool, type TypedArrayConstructor } from "../src/index.js";

describe("types", () => {
  test("a view has the type of the constructor it is asked by", () => {
    const buffer = new BufferPool().allocate(64);
    expectTypeOf(buffer.view(Float32Array)).toEqualTypeOf<Float32Array>();
    expectTypeOf(buffer.view(BigInt64Array)).toEqualTypeOf<BigInt64Array>();
    expectTypeOf(buffer.view(Uint8Array)).toEqualTypeOf<Uint8Array>();
  });

  test("a constructor described by hand serves as well, and one of two keeps the union", () => {
    const buffer = new BufferPool().allocate(64);
    const described: {
      readonly BYTES_PER_ELEMENT: number;
      new (length: number): Int16Array;
      new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): Int16Array;
    } = Int16Array;
    expectTypeOf(buffer.view(described)).toEqualTypeOf<Int16Array>();
    const either: TypedArrayConstructor<Float32Array> | TypedArrayConstructor<Float64Array> = Float32Array;
    expectTypeOf(buffer.view<Float32Array | Float64Array>(either)).toEqualTypeOf<Float32Array | Float64Array>();
  });
});
