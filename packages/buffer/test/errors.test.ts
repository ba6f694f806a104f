import { describe, expect, test } from "vitest";
import {
  BufferAlignmentError,
  BufferSizeError,
  BufferStateError,
  OutOfMemoryError,
  StaleBufferError,
} from "../src/index.js";

describe("errors", () => {
  test("a stale handle is told both generations and how its own ended", () => {
    const error = new StaleBufferError("at", 1, 2, "reset");
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(RangeError);
    expect(error).toMatchObject({
      name: "StaleBufferError",
      code: "SW_BUFFER_STALE",
      operation: "at",
      generation: 1,
      present: 2,
      end: "reset",
    });
    expect(error.message).toBe(
      "at: the handle is stale, its arena was reset: got generation 1, expected 2, the present one. keep(tensor) copies a result out of an arena.",
    );
    expect(new StaleBufferError("at", 1, 2, "released").message).toContain("its memory was released");
    expect(new StaleBufferError("at", 1, 2, "disposed").message).toContain("its arena was disposed");
  });

  test("where the end is not known the message names both ways and keep", () => {
    const { message, end } = new StaleBufferError("at", 1, 5);
    expect(end).toBeUndefined();
    expect(message).toBe(
      "at: the handle is stale, its memory was released, or its arena reset: got generation 1, expected 5, the present one. keep(tensor) copies a result out of an arena.",
    );
  });

  test("exhausted memory names requested, in use and maximum", () => {
    const error = new OutOfMemoryError(100, 30, 120, { cause: "host" });
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({
      name: "OutOfMemoryError",
      code: "SW_BUFFER_OUT_OF_MEMORY",
      requested: 100,
      inUse: 30,
      maximum: 120,
      cause: "host",
    });
    expect(error.message).toBe(
      "allocate: the memory is exhausted: got a request of 100 bytes with 30 in use, expected at most 120. Dispose what is not needed, or run each step in an arena.",
    );
    expect(new OutOfMemoryError(100, 0, Number.POSITIVE_INFINITY).message).toContain("what the host grants");
  });

  test("size, alignment and state errors carry their values", () => {
    const size = new BufferSizeError("SW_BUFFER_SIZE", "allocate", "byteLength", -1, 0, 9);
    expect(size).toBeInstanceOf(RangeError);
    expect(size).toMatchObject({
      name: "BufferSizeError",
      operation: "allocate",
      requested: -1,
      minimum: 0,
      maximum: 9,
    });
    expect(size.message).toBe("allocate: byteLength is out of range: got -1, expected 0 to 9.");
    const alignment = new BufferAlignmentError("view", "Float32Array", 6, 4);
    expect(alignment).toBeInstanceOf(RangeError);
    expect(alignment).toMatchObject({
      name: "BufferAlignmentError",
      code: "SW_BUFFER_ALIGNMENT",
      address: 6,
      alignment: 4,
    });
    expect(alignment.message).toBe(
      "view: the buffer is not aligned for Float32Array: got byte address 6, expected a multiple of 4. Copy the bytes into a pool buffer.",
    );
    const state = new BufferStateError("SW_BUFFER_READ_ONLY", "set", "no.");
    expect(state).toMatchObject({
      name: "BufferStateError",
      code: "SW_BUFFER_READ_ONLY",
      operation: "set",
      message: "set: no.",
    });
  });
});
