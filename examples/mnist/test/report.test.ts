import { describe, expect, test } from "vitest";
import { type PicturedMistake, type ReportFacts, renderReport } from "../src/report.js";

/** The elements of a well-formed document in order; throws where a tag is not closed or a text is not escaped. */
function elements(xml: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  const rest = xml.replace(
    /<(\/?)([a-z]+)((?: [a-z-]+="[^"<&]*"| xmlns="[^"]*"| viewBox="[^"]*")*)(\/?)>/gi,
    (tag, end, name, _, empty) => {
      if (end === "/") {
        if (open.pop() !== name) throw new Error(`${tag} closes another element`);
      } else {
        names.push(name);
        if (empty !== "/") open.push(name);
      }
      return "";
    },
  );
  if (open.length > 0) throw new Error(`not closed: ${open.join(", ")}`);
  if (/[<>]|&(?!amp;|lt;|gt;|quot;)/.test(rest)) throw new Error(`not escaped: ${rest}`);
  return names;
}

function mistake(index: number): PicturedMistake {
  const pixels = new Uint8Array(784);
  pixels.fill(255, 28, 31);
  pixels[30] = 51;
  return { index, label: 4, predicted: 9, confidence: 0.98765, pixels };
}

const FACTS: ReportFacts = {
  subtitle: "MLP, seed 1",
  losses: Array.from({ length: 1000 }, (_, i) => 2.3 / (1 + i / 20)),
  evaluation: { accuracy: 0.9784, correct: 9784, count: 10000 },
  mistakes: Array.from({ length: 16 }, (_, i) => mistake(i)),
};

describe("renderReport", () => {
  test("it is a well-formed SVG document with the accuracy, the curve and 16 pictures", () => {
    const svg = renderReport(FACTS);
    const names = elements(svg);
    expect(names[0]).toBe("svg");
    expect(svg).toContain("97.84 % of the test images are right");
    expect(svg).toContain("9,784 of 10,000 images");
    expect(svg).toContain("The 16 worst mistakes");
    expect(svg.match(/true 4<\/text>/g)).toHaveLength(16);
    expect(svg.match(/said 9, 98.8 %<\/text>/g)).toHaveLength(16);
  });

  test("a picture is its pixels: a run of ink is one rectangle, paper none", () => {
    const svg = renderReport({ ...FACTS, mistakes: [mistake(0)] });
    expect(svg).toContain(
      '<path fill-opacity="1.000" d="M0 1h2v1h-2z"/><path fill-opacity="0.200" d="M2 1h1v1h-1z"/></g>',
    );
  });

  test("text is escaped", () => {
    const svg = renderReport({ ...FACTS, subtitle: 'a < b & "c" > d' });
    elements(svg);
    expect(svg).toContain("a &lt; b &amp; &quot;c&quot; &gt; d");
  });

  test("without mistakes it says so", () => {
    const svg = renderReport({ ...FACTS, mistakes: [] });
    elements(svg);
    expect(svg).toContain("No mistakes");
  });

  test.each([
    ["a loss of zero", [1, 0]],
    ["no loss", []],
  ])("%s has no logarithm to draw", (_, losses) => {
    const svg = renderReport({ ...FACTS, losses });
    elements(svg);
    expect(svg).toContain("no positive loss to draw");
  });

  test("a loss that is no number breaks the line", () => {
    const svg = renderReport({ ...FACTS, losses: [2, Number.NaN, 1, 1] });
    elements(svg);
    expect(svg).not.toContain("NaN");
    expect(svg).toMatch(/d="M[\d. ]+M[\d. ]+L[\d. ]+"/);
  });
});
