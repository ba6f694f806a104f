import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FreeRanges } from "../src/free-ranges.js";

describe("free ranges", () => {
  test("join on either side, on both, and on none", () => {
    const ranges = new FreeRanges();
    ranges.add(100, 10);
    ranges.add(200, 10);
    ranges.add(110, 10);
    ranges.add(190, 10);
    expect([ranges.starts, ranges.lengths]).toEqual([
      [100, 190],
      [20, 20],
    ]);
    ranges.add(120, 70);
    expect([ranges.starts, ranges.lengths]).toEqual([[100], [110]]);
    expect([ranges.freeBefore(210), ranges.freeBefore(211), ranges.freeBefore(50)]).toEqual([110, 0, 0]);
  });

  test("take finds the best fit and answers -1 when there is none", () => {
    const ranges = new FreeRanges();
    expect(ranges.take(1)).toBe(-1);
    ranges.add(2 ** 31, 100);
    ranges.add(3 * 2 ** 30, 50);
    expect(ranges.take(40)).toBe(3 * 2 ** 30);
    expect(ranges.take(10)).toBe(3 * 2 ** 30 + 40);
    expect(ranges.take(101)).toBe(-1);
    expect(ranges.take(100)).toBe(2 ** 31);
    expect(ranges.starts).toEqual([]);
  });

  test("taking and adding in any order agrees with a map of single cells", () => {
    const command = fc.record({ take: fc.boolean(), length: fc.integer({ min: 1, max: 9 }), pick: fc.nat(1000) });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 100 }), (commands) => {
        const ranges = new FreeRanges();
        ranges.add(0, 64);
        const free = new Array<boolean>(64).fill(true);
        const taken: { start: number; length: number }[] = [];
        for (const { take, length, pick } of commands) {
          if (take) {
            const start = ranges.take(length);
            if (start < 0) {
              expect(free.map((cell) => (cell ? "1" : "0")).join("")).not.toContain("1".repeat(length));
              continue;
            }
            expect(free.slice(start, start + length)).toEqual(new Array(length).fill(true));
            free.fill(false, start, start + length);
            taken.push({ start, length });
          } else if (taken.length > 0) {
            const [block] = taken.splice(pick % taken.length, 1);
            ranges.add(block!.start, block!.length);
            free.fill(true, block!.start, block!.start + block!.length);
          }
          const cells = new Array<boolean>(64).fill(false);
          for (const [i, start] of ranges.starts.entries()) cells.fill(true, start, start + ranges.lengths[i]!);
          expect(cells).toEqual(free);
          for (let i = 1; i < ranges.starts.length; i += 1) {
            expect(ranges.starts[i]).toBeGreaterThan(ranges.starts[i - 1]! + ranges.lengths[i - 1]!);
          }
        }
      }),
    );
  });
});
