import { describe, expect, test } from "vitest";
import { createProgress } from "../src/progress.js";
import type { Step } from "../src/train.js";
import { Written } from "./support.js";

function step(number: number): Step {
  return {
    step: number,
    steps: 4,
    epoch: number < 3 ? 1 : 2,
    epochs: 2,
    loss: 0.5,
    images: 500,
    endsEpoch: number % 2 === 0,
  };
}

/** A terminal of 80 columns that remembers what was written. */
class Terminal extends Written {
  readonly isTTY = true;
  readonly columns = 80;
  cursorTo(): boolean {
    return true;
  }
  moveCursor(): boolean {
    return true;
  }
  clearLine(): boolean {
    return true;
  }
  on(): this {
    return this;
  }
}

describe("createProgress", () => {
  test("where there is no terminal, a line per epoch with loss and speed", () => {
    const sink = new Written();
    let time = 0;
    const progress = createProgress(sink, () => time);
    for (let i = 1; i <= 4; i++) {
      time += 250;
      progress.update(step(i));
    }
    progress.stop();
    expect(sink.text).toBe("epoch 1/2 | loss 0.5000 | 2,000 images/s\nepoch 2/2 | loss 0.5000 | 2,000 images/s\n");
  });

  test("on a terminal, a bar with loss and speed", () => {
    const sink = new Terminal();
    let time = 0;
    const progress = createProgress(sink, () => time);
    for (let i = 1; i <= 4; i++) {
      time += 250;
      progress.update(step(i));
    }
    progress.stop();
    progress.stop();
    expect(sink.text).toContain("epoch 2/2");
    expect(sink.text).toContain("100 % | loss 0.5000 | 2,000 images/s");
  });

  test("a bar that never began leaves a terminal alone", () => {
    const sink = new Terminal();
    createProgress(sink, () => 0).stop();
    expect(sink.text).toBe("");
  });
});
