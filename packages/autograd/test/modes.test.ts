import { backward, enableGrad, grad, isGradEnabled, noGrad, parameter, requiresGrad } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { add, mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
import { record } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test, vi } from "vitest";

beforeEach(() => setKernels(jsKernels));

const total = (t: Tensor): Tensor => sum(t) as Tensor;
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe("a mode ends with the synchronous stretch it was set for", () => {
  test("two tasks that interleave see their own after each await", async () => {
    const p = parameter(tensor([1]));
    const seen: string[] = [];
    const task = async (name: string, mode: typeof noGrad, expected: boolean): Promise<void> => {
      for (let i = 0; i < 5; i++) {
        mode(() => {
          expect(isGradEnabled()).toBe(expected);
          expect(requiresGrad(mul(p, 2))).toBe(expected);
          seen.push(name);
        });
        expect(isGradEnabled()).toBe(true);
        await turn();
        expect(isGradEnabled()).toBe(true);
        expect(requiresGrad(mul(p, 2))).toBe(true);
      }
    };
    await Promise.all([task("off", noGrad, false), task("on", enableGrad, true)]);
    expect(seen.join(" ")).toBe("off on off on off on off on off on");
  });
  test.each([noGrad, enableGrad])("$name refuses what would outlive it, by type and at run time", async (mode) => {
    const outer = isGradEnabled();
    const refused = expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" });
    // @ts-expect-error: an asynchronous function would run on in another mode.
    expect(() => mode(async () => 1)).toThrow(refused);
    // @ts-expect-error: so would whoever waits for a promise.
    expect(() => mode(() => Promise.reject(new Error("unheard")))).toThrow(refused);
    expect(() =>
      mode(function* () {
        yield 1;
      } as never),
    ).toThrow(refused);
    expect(isGradEnabled()).toBe(outer);
    await turn();
  });
  test("is put back when the function throws", () => {
    expect(() =>
      noGrad(() => {
        throw new Error("mine");
      }),
    ).toThrow("mine");
    expect(isGradEnabled()).toBe(true);
  });
});

describe("a pass", () => {
  test("does not record, whatever the mode outside; with createGraph it does", () => {
    const p = parameter(tensor([2]));
    const modes: boolean[] = [];
    const watched = (): Tensor =>
      record(tensor([2]), {
        kind: "watched",
        inputs: [p],
        rule: (_record, g) => {
          modes.push(isGradEnabled());
          return [g];
        },
      });
    backward(watched());
    noGrad(() => backward(watched()));
    enableGrad(() => backward(watched()));
    const y = watched();
    noGrad(() => {
      grad([y], [p], [], { createGraph: true });
    });
    expect(modes).toEqual([false, false, false, true]);
  });
  test("runs each node once, after all that came from it, with the sum", () => {
    const p = parameter(tensor([1, 1]));
    const rule = vi.fn((_record: unknown, g: Tensor) => [mul(g, 3)]);
    const shared = record(tensor([1, 1]), { kind: "shared", inputs: [p], rule });
    const left = mul(shared, 2);
    const right = add(left, shared);
    backward(total(add(add(right, mul(right, 5)), shared)));
    expect(rule).toHaveBeenCalledTimes(1);
    expect(p.grad?.toArray()).toEqual([3 * 19, 3 * 19]);
  });
});
