import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import { type Backend, createArena, createGenerator, setKernels } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { loadTraining, saveTraining } from "../src/save.js";
import { disposeTraining, drawBatch, makeStep } from "../src/training.js";
import { ALPHABET, RHYME, smallTraining, withFolder } from "./support.js";

const text = ALPHABET.encode(RHYME);

describe("drawBatch", () => {
  test("each row is a stretch of the text, and what comes next is the same a character later", () => {
    const { ids, next } = drawBatch(text, 16, 4, createGenerator(1));
    for (let row = 0; row < 4; row++) {
      const [here, after] = [ids, next].map((t) => ALPHABET.decode(t.select(0, row).data()));
      expect(RHYME).toContain(`${here}${after?.at(-1)}`);
      expect(here?.slice(1)).toBe(after?.slice(0, -1));
    }
  });
  test("every stretch of a text of one more than the context is its first; a shorter text is refused", () => {
    const { ids } = drawBatch(text.subarray(0, 17), 16, 2, createGenerator(1));
    expect(Array.from(ids.select(0, 1).data())).toEqual(Array.from(text.subarray(0, 16)));
    expect(() => drawBatch(text.subarray(0, 16), 16, 1, createGenerator(1))).toThrow(
      expect.objectContaining({ code: "SW_CHAR_TEXT_SHORT" }),
    );
  });
});

describe.each<[string, () => Promise<Backend[]>]>([
  ["js", async () => [jsKernels]],
  ["wasm", async () => [await wasmKernels(), jsKernels]],
])("training on the %s backend", (_, chain) => {
  beforeAll(async () => setKernels(...(await chain())));

  test("20 steps are 10 steps, a file, and 10 steps more, bit for bit", () =>
    withFolder(async (folder) => {
      const arena = createArena();
      const steps = (training: ReturnType<typeof smallTraining>, count: number): number[] =>
        Array.from({ length: count }, () => makeStep(training, text, arena));
      const whole = smallTraining();
      const losses = steps(whole, 20);
      const first = smallTraining();
      const begun = steps(first, 10);
      await saveTraining(join(folder, "ten.hrry"), first, ALPHABET);
      disposeTraining(first);
      const { training } = await loadTraining(join(folder, "ten.hrry"));
      expect([...begun, ...steps(training, 10)]).toEqual(losses);
      await saveTraining(join(folder, "a.hrry"), whole, ALPHABET);
      await saveTraining(join(folder, "b.hrry"), training, ALPHABET);
      expect((await readFile(join(folder, "a.hrry"))).equals(await readFile(join(folder, "b.hrry")))).toBe(true);
    }));

  test("the rhyme is learnt, and no step after the second allocates memory", () => {
    const training = smallTraining();
    const arena = createArena();
    const seen: object[] = [];
    const losses: number[] = [];
    for (let step = 0; step < 150; step++) {
      losses.push(makeStep(training, text, arena));
      const { misses, created, live, liveBytes } = defaultPool().statistics();
      seen.push({ misses, created, live, liveBytes, chunks: arena.statistics().chunks });
    }
    for (const statistics of seen.slice(2)) expect(statistics).toEqual(seen[2]);
    expect(losses[0]).toBeGreaterThan(2.5);
    expect(losses.at(-1)).toBeLessThan(2);
    disposeTraining(training);
    arena.dispose();
  });
});
