import { columnMajor, flipAxis, type Located, parseLayout, rowMajor } from "@sw/layout";
import { asTensor, type Tensor, tensor, views, withKernels } from "@sw/tensor";
import {
  type BackwardRecord,
  checkSaved,
  defaultPool,
  gatherFrom,
  record,
  save,
  scatterInto,
  unpack,
  withLeaf,
} from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { plainBackend, type Seen } from "./forty-line-backend.js";

const shown = (text: string, start = 0): Located => ({ layout: parseLayout(text), start });

describe("scatterInto and gatherFrom", () => {
  test("a selector is over a domain, nested and first-mode-fastest too", () => {
    const domain = columnMajor([2, [2, 3]]);
    const out = scatterInto(
      domain,
      shown("(2,3):(1,4)", 2),
      tensor([
        [1, 2, 3],
        [4, 5, 6],
      ]),
    );
    expect(String(out.layout)).toBe("(2,(2,3)):(1,(2,4))");
    expect(out.toArray()).toEqual([
      [0, 1, 0, 2, 0, 3],
      [0, 4, 0, 5, 0, 6],
    ]);
    expect(gatherFrom(out, domain, shown("(2,3):(1,4)", 2)).toArray()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  test("a source of another layout is laid as the domain first", () => {
    const source = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const gathered = gatherFrom(source, columnMajor([2, 3]), shown("(6):(1)"));
    expect(gathered.toArray()).toEqual([1, 4, 2, 5, 3, 6]);
    expect(gathered.buffer).not.toBe(source.buffer);
    expect(gatherFrom(source, rowMajor([2, 3]), flipAxis(rowMajor([2, 3]), 1)).buffer).toBe(source.buffer);
  });

  test("where no place shows twice, a copy will do: no backend is needed", () => {
    expect(scatterInto(rowMajor([4]), shown("(2):(2)", 1), tensor([5, 6])).toArray()).toEqual([0, 5, 0, 6]);
  });

  test("field case 14: where one does, all that it shows is added", () => {
    const seen: Seen[] = [];
    const ones = tensor([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
    ]);
    const out = withKernels(
      [plainBackend(seen)],
      () => scatterInto(rowMajor([5]), shown("(3,3):(1,1)"), ones) as never as Tensor,
    );
    expect(out.toArray()).toEqual([1, 2, 3, 2, 1]);
    expect(seen.map(({ name }) => name)).toContain("accumulate");
  });

  test("what throws leaves no memory behind", () => {
    const before = defaultPool().statistics().liveBytes;
    const x = asTensor(Float32Array.of(1, 2, 3));
    expect(() => scatterInto(rowMajor([2]), shown("(3):(1)"), x)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VIEW_BOUNDS" }),
    );
    expect(defaultPool().statistics().liveBytes).toBe(before);
  });

  test("a record says what it shows of what", () => {
    const leaf = withLeaf(tensor([1, 2]), "shape");
    const domain = rowMajor([4]);
    const selector = shown("(2):(2)");
    expect(scatterInto(domain, selector, leaf).node?.record).toMatchObject({ kind: "scatterInto", domain, selector });
    expect(gatherFrom(leaf, rowMajor([2]), shown("(1):(1)")).node?.record).toMatchObject({ kind: "gatherFrom" });
  });
});

describe("checkSaved", () => {
  const recordOf = (t: Tensor): BackwardRecord =>
    record(views.permute(t, 0), { kind: "views", inputs: [t], saved: [save(t)] }).node?.record as BackwardRecord;

  test("VA-83 throws when the memory was written since it was saved", () => {
    const t = tensor([1, 2]);
    const saved = recordOf(t);
    checkSaved(saved, 0);
    t.set(3, 0);
    expect(() => checkSaved(saved, 0)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VERSION", operation: "views", savedVersion: 0, presentVersion: 1 }),
    );
  });

  test("VA-26 says nothing of memory that was returned, whoever has it now", () => {
    const t = tensor([1, 2]);
    t.set(3, 0);
    const saved = recordOf(t);
    t.dispose();
    checkSaved(saved, 0);
    const next = tensor([1, 2]);
    expect(next.buffer).toBe(t.buffer);
    expect(next.buffer.version).not.toBe(saved.saved[0]?.version);
    checkSaved(saved, 0);
    expect(() => unpack(saved, 0)).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });
});
