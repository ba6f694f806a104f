import { describe, expect, test } from "vitest";
import { BlockList, type WasmBlock } from "../src/block-list.js";
import type { SizeTree } from "../src/size-tree.js";
import { runCommands } from "./block-list-model.js";

const LINE = 64;

/** The blocks of a list in order of address, free ones in brackets, in lines. */
function picture({ edge }: BlockList): string {
  const parts: string[] = [];
  for (let block = edge.after; block !== edge; block = block.after) {
    const text = `${block.address / LINE}+${block.byteLength / LINE}`;
    parts.push(block.owner === undefined ? `[${text}]` : text);
  }
  return parts.join(" ");
}

function listOf(lines: number): BlockList {
  const list = new BlockList();
  list.extend(LINE, lines * LINE);
  return list;
}

function take(list: BlockList, ...lines: number[]): WasmBlock[] {
  return lines.map((count) => list.take(count * LINE)!);
}

describe("a block list", () => {
  test("freed neighbours join on either side, on both, and on none", () => {
    const list = listOf(20);
    const [a, b, c, d, e] = take(list, 1, 2, 3, 4, 5);
    list.free(b!);
    expect(picture(list)).toBe("1+1 [2+2] 4+3 7+4 11+5 [16+5]");
    list.free(d!);
    expect(picture(list)).toBe("1+1 [2+2] 4+3 [7+4] 11+5 [16+5]");
    list.free(c!);
    expect(picture(list)).toBe("1+1 [2+9] 11+5 [16+5]");
    list.free(a!);
    expect(picture(list)).toBe("[1+10] 11+5 [16+5]");
    list.free(e!);
    expect(picture(list)).toBe("[1+20]");
  });

  test("taking is best fit across bins, the lowest of equals, and refuses what no free block has", () => {
    const list = listOf(40);
    const [a, , b, , c, , d] = take(list, 9, 1, 6, 1, 5, 1, 5, 1);
    for (const block of [a!, d!, b!, c!]) list.free(block);
    expect(picture(list)).toBe("[1+9] 10+1 [11+6] 17+1 [18+5] 23+1 [24+5] 29+1 [30+11]");
    expect(take(list, 4, 4, 5, 7, 12).map((block) => block && block.address / LINE)).toEqual([
      18,
      24,
      11,
      1,
      undefined,
    ]);
    expect(picture(list)).toBe("1+7 [8+2] 10+1 11+5 [16+1] 17+1 18+4 [22+1] 23+1 24+4 [28+1] 29+1 [30+11]");
    expect(new BlockList().take(LINE)).toBeUndefined();
  });

  test("blocks on either side of a gap never join, and only the end counts as free before the end", () => {
    const list = listOf(4);
    expect(list.freeBefore(5 * LINE)).toBe(4 * LINE);
    list.extend(8 * LINE, 2 * LINE);
    expect(picture(list)).toBe("[1+4] [8+2]");
    expect(list.freeBefore(5 * LINE)).toBe(0);
    expect(list.freeBefore(10 * LINE)).toBe(2 * LINE);
    expect(list.freeBefore(11 * LINE)).toBe(0);
    list.extend(10 * LINE, 3 * LINE);
    expect(picture(list)).toBe("[1+4] [8+5]");
    take(list, 5);
    expect(list.freeBefore(13 * LINE)).toBe(0);
    expect(new BlockList().freeBefore(0)).toBe(0);
  });

  test("an exact fit is a new block: who still holds the freed one does not hold its next owner's", () => {
    const list = listOf(3);
    const [a] = take(list, 1, 1);
    list.free(a!);
    const [b] = take(list, 1);
    expect(b!.address).toBe(LINE);
    expect(b).not.toBe(a);
    expect([a!.owner, b!.owner]).toEqual([undefined, list]);
  });

  test("a freed block that was joined keeps no list alive", () => {
    const list = listOf(8);
    const blocks = take(list, 1, 2, 3);
    for (const block of blocks) list.free(block);
    for (const gone of blocks.slice(1)) {
      expect(gone.before).toBe(gone);
      expect(gone.after).toBe(gone);
      expect([gone.owner, gone.low, gone.high]).toEqual([undefined, undefined, undefined]);
    }
  });

  test("field case 3: 2^32 bytes of addresses join to one block and are taken from end to end", () => {
    const list = new BlockList();
    const all = 2 ** 32 - LINE;
    for (let address = LINE; address < 2 ** 32; address += 2 ** 28) {
      list.extend(address, Math.min(2 ** 28, 2 ** 32 - address));
    }
    expect(picture(list)).toBe(`[1+${all / LINE}]`);
    const large = list.take(2 ** 31)!;
    const rest = list.take(all - 2 ** 31 - LINE)!;
    const end = list.take(LINE)!;
    expect([large.address, rest.address, end.address]).toEqual([LINE, 2 ** 31 + LINE, 2 ** 32 - LINE]);
    expect(list.take(LINE)).toBeUndefined();
    list.free(rest);
    list.free(end);
    expect(list.freeBefore(2 ** 32)).toBe(2 ** 31 - LINE);
    list.free(large);
    expect(list.take(all)).toMatchObject({ address: LINE, byteLength: all });
  });

  test("10^5 equal blocks freed in order of address, every other one, make no deep tree", () => {
    const list = listOf(200_000);
    const blocks = Array.from({ length: 200_000 }, () => list.take(LINE)!);
    for (const [index, block] of blocks.entries()) if (index % 2 === 0) list.free(block);
    const depth = (tree: SizeTree): number =>
      tree === undefined ? 0 : 1 + Math.max(depth(tree.low), depth(tree.high));
    expect(depth(list.bins[0])).toBeGreaterThan(16);
    expect(depth(list.bins[0])).toBeLessThan(60);
    expect(take(list, 1, 1).map((block) => block.address / LINE)).toEqual([1, 3]);
  });

  test("the blocks of an address space are what 10^5 random commands make of a row of lines", () => {
    runCommands(100_000, 1000);
  });
});
