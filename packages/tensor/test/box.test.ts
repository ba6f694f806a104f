import { BufferPool, heapMemory } from "@sw/buffer";
import { blocked, rowMajor, strided, tiled } from "@sw/layout";
import { add, arange, fromBuffer, keep, tensor, zeros } from "@sw/tensor";
import { withScope } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { padded, paddedBoxes, padding } from "./padded-tensors.js";

describe("a padded tensor is read, written and copied (spine 4)", () => {
  test("data, toArray, contiguous and keep give the box, and leave the padding behind", () => {
    fc.assert(
      fc.property(paddedBoxes, ({ box, l }) => {
        const t = padded(l, box);
        const expected = Float32Array.from({ length: t.size }, (_, i) => i);
        expect(t.data()).toEqual(expected);
        expect(t.toArray()).toEqual(arange(t.size).reshape(box).toArray());
        expect(t.contiguous().isContiguous).toBe(true);
        expect(t.contiguous().data()).toEqual(expected);
        const kept = keep(t);
        expect([kept.shape, kept.isPadded]).toEqual([t.shape, t.isPadded]);
        expect(kept.data()).toEqual(expected);
        expect(padding(kept).every((element) => element === 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("copyFrom between any two layouts writes the box, counts once, and touches no padding", () => {
    fc.assert(
      fc.property(paddedBoxes, paddedBoxes, ({ box, l }, other) => {
        const source = padded(l, box, 100);
        const inTiles = tiled(box, {
          tile: box.map((_, axis) => 1 + (other.box[axis] ?? 1)),
          outer: "rowMajor",
          inner: "rowMajor",
        });
        for (const target of [padded(inTiles, box), padded(rowMajor(box), box)]) {
          const before = padding(target);
          const { version } = target.buffer;
          target.copyFrom(source);
          expect(target.data()).toEqual(source.data());
          expect(padding(target)).toEqual(before);
          expect(target.buffer.version).toBe(version + (target.size === 0 ? 0 : 1));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("fill writes the box only; zero lanes stay zero", () => {
    fc.assert(
      fc.property(paddedBoxes, ({ box, l }) => {
        const t = padded(l, box);
        const before = padding(t);
        t.fill(3);
        expect(t.data().every((element) => element === 3)).toBe(true);
        expect(padding(t)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  test("a source broadcasts, padded or not, into a padded target", () => {
    const target = padded(blocked([2, 5], 1, 4), [2, 5]);
    target.copyFrom(tensor([1, 2, 3, 4, 5]));
    expect(target.toArray()).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
    const row = padded(blocked([1, 5], 1, 4), [1, 5]);
    const flat = zeros([2, 5]);
    flat.copyFrom(row);
    target.copyFrom(row);
    expect([flat.toArray(), target.toArray()]).toEqual(Array(2).fill(Array(2).fill([0, 1, 2, 3, 4])));
    expect(() => target.copyFrom(tensor([1, 2]))).toThrow(
      expect.objectContaining({ code: "SW_LAYOUT_EXPAND", operation: "copyFrom" }),
    );
  });

  test("field case 6: a padded tensor copied onto a view of itself is read before it is written", () => {
    const t = padded(blocked([3, 3], 1, 2), [3, 3]);
    t.copyFrom(t.T);
    expect([...t.data()]).toEqual([0, 3, 6, 1, 4, 7, 2, 5, 8]);
  });

  test("field case 5: only the box counts as the target", () => {
    const rows = fromBuffer("float32", zeros([7]).buffer, strided([3, 3], [2, 1]), 0, [3, 2]);
    rows.copyFrom(arange(6).reshape([3, 2]));
    expect(rows.toArray()).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    const overlapping = fromBuffer("float32", zeros([7]).buffer, strided([3, 3], [2, 1]));
    expect(() => overlapping.fill(1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OVERLAP" }));
  });

  test("a read-only target is refused before anything is written", () => {
    const t = padded(blocked([2, 5], 1, 4), [2, 5]);
    t.buffer.readOnly = true;
    expect(() => t.fill(1)).toThrow(expect.objectContaining({ code: "SW_BUFFER_READ_ONLY" }));
    expect([...t.data()]).toEqual(Array.from({ length: 10 }, (_, i) => i));
  });

  test("everything else asks for contiguous(), which works", () => {
    const t = padded(blocked([2, 5], 1, 4), [2, 5]);
    for (const use of [() => add(t, 1), () => t.slice(0, 0, 1), () => t.reshape([10]), () => t.expand([1, 2, 5])]) {
      expect(use).toThrow(
        expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED", message: expect.stringContaining("contiguous()") }),
      );
    }
    expect(t.contiguous().reshape([10]).shape).toEqual([10]);
  });

  test("copies give their memory back when the copy throws", () => {
    const arena = new BufferPool({ source: heapMemory() });
    const t = padded(blocked([2, 5], 1, 4), [2, 5]);
    const broken = {
      name: "broken",
      seamVersion: 1,
      kernels: {
        copy: () => {
          throw new Error("no copy");
        },
      },
    } as const;
    withScope({ memory: arena, kernels: [broken] }, () => {
      for (const use of [
        () => t.contiguous(),
        () => t.toLayout(rowMajor([2, 5])),
        () => t.fill(1),
        () => t.copyFrom(t),
      ]) {
        expect(use).toThrow("no copy");
        expect(arena.statistics().live).toBe(0);
      }
    });
  });
});
