import { describe, expect, it } from "vitest";
import { indexScratch, orderScratch, rowScratch, SUMS, wideRowScratch, wideSumScratch } from "../src/scratch.js";

describe("working memory", () => {
  it("is made once and lent again, until more is needed", () => {
    const row = rowScratch(10);
    expect(rowScratch(5)).toBe(row);
    const longer = rowScratch(row.length + 1);
    expect(longer.length).toBeGreaterThan(row.length);
    expect(rowScratch(10)).toBe(longer);
    const targets = indexScratch(1000);
    expect(indexScratch(1)).toBe(targets);
    const wide = wideRowScratch(1000);
    expect(wideRowScratch(1)).toBe(wide);
  });

  it("is told apart where more than one piece is in use", () => {
    expect(rowScratch(10, 1)).toBe(rowScratch(10, 1));
    expect(rowScratch(10, 1)).not.toBe(rowScratch(10));
    expect(orderScratch(10, 1)).toBe(orderScratch(10, 1));
    expect(orderScratch(10, 1)).not.toBe(orderScratch(10, 0));
  });

  it("carries a fixed number of sums", () => {
    expect(wideSumScratch()).toBe(wideSumScratch());
    expect(wideSumScratch()).toHaveLength(SUMS);
  });
});
