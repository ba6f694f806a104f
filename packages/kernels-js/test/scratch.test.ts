import { describe, expect, it } from "vitest";
import { rowScratch, SUMS, sumScratch, targetScratch, wideSumScratch } from "../src/scratch.js";

describe("working memory", () => {
  it("is made once and lent again, until more is needed", () => {
    const row = rowScratch(10);
    expect(rowScratch(5)).toBe(row);
    const longer = rowScratch(row.length + 1);
    expect(longer.length).toBeGreaterThan(row.length);
    expect(rowScratch(10)).toBe(longer);
    const targets = targetScratch(1000);
    expect(targetScratch(1)).toBe(targets);
  });

  it("carries a fixed number of sums", () => {
    expect(sumScratch()).toBe(sumScratch());
    expect(sumScratch()).toHaveLength(SUMS);
    expect(wideSumScratch()).toBe(wideSumScratch());
    expect(wideSumScratch()).toHaveLength(SUMS);
  });
});
