import { describe, LayoutError, unsafe } from "./errors.js";
import { type Layout, layoutFor } from "./layout.js";
import type { IntTree } from "./tree.js";

/**
 * Reads a layout from CuTe notation, as `String(layout)` writes it; spaces are allowed, and a bare `4:1` is `(4):(1)`.
 *
 * @throws TypeError when the text is not a string.
 * @throws LayoutError `SW_LAYOUT_PARSE` with the position; and those of `layout` for the values.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * console.log(parseLayout("((2,2),3):((1,2),4)").size); // 12
 * ```
 * @since 0.1.0
 */
export function parseLayout(text: string): Layout {
  if (typeof text !== "string") {
    throw new TypeError(
      `parseLayout: text is not a string: got ${describe(text)}, expected a string such as "(2,3):(3,1)".`,
    );
  }
  const reader = new Reader(text);
  const shape = reader.tree(0);
  reader.expect(":");
  const stride = reader.tree(0);
  reader.end();
  return layoutFor(
    "parseLayout",
    typeof shape === "number" ? [shape] : shape,
    typeof stride === "number" ? [stride] : stride,
  );
}

class Reader {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  tree(depth: number): IntTree {
    if (this.peek() !== "(") return this.integer();
    if (depth >= 64) throw this.problem("at most 64 levels of parentheses");
    this.position++;
    const items: IntTree[] = [];
    if (this.peek() === ")") {
      this.position++;
      return items;
    }
    for (;;) {
      items.push(this.tree(depth + 1));
      if (this.peek() !== ",") break;
      this.position++;
    }
    this.expect(")");
    return items;
  }

  integer(): number {
    this.peek();
    const pattern = /-?\d+/y;
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.text);
    if (match === null) throw this.problem("an integer or (");
    const value = Number(match[0]);
    // Digits without end would be read as Infinity, which is not even an integer.
    if (!Number.isSafeInteger(value)) throw unsafe("parseLayout", "an integer", value, { position: this.position });
    this.position += match[0].length;
    return value;
  }

  expect(symbol: string): void {
    if (this.peek() !== symbol) throw this.problem(symbol);
    this.position++;
  }

  end(): void {
    if (this.peek() !== undefined) throw this.problem("the end of the text");
  }

  peek(): string | undefined {
    while (this.text[this.position] === " ") this.position++;
    return this.text[this.position];
  }

  problem(expected: string): LayoutError {
    const found = this.text[this.position];
    const got = found === undefined ? "the end of the text" : JSON.stringify(found);
    const problem = `text is not a layout at position ${this.position}: got ${got}, expected ${expected}.`;
    return new LayoutError("SW_LAYOUT_PARSE", "parseLayout", problem, { position: this.position });
  }
}
