import { withKernels } from "@sw/tensor";
import { type Backend, defaultPool } from "@sw/tensor/seam";
import type { Case, CaseOutcome } from "../../case.js";
import { ConformanceError, type ConformanceErrorCode } from "../../errors.js";
import { contiguous } from "../../operands/forms.js";
import { random, seedOf } from "../../random.js";
import type { Value } from "../../values.js";
import { idOf } from "../cases.js";
import { type Comparison, compareOutput } from "../compare.js";
import { describeCall } from "../describe.js";
import { dtypesOf, type KernelModel, ordinaryDraw, type Problem } from "../model.js";
import { kernelModels } from "../models.js";
import type { Sample } from "../sample.js";
import { elementsOf, type Placed } from "./placed.js";
import { counting, type Lying, runOperation, type Tensors, withTensors } from "./runs.js";

// Cases that hand over tensors, as operations do: the candidate alone in a chain, memory from its pool. What they check
// is what a kernel cannot see of its operands, and a backend can still get wrong.

/** One call from tensors. */
interface Run {
  readonly candidate: Backend;
  readonly model: KernelModel;
  readonly caseId: string;
  readonly seed: number;
  readonly sample: Sample;
}

/** A kind of case that every kernel has. */
interface TensorKind {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly problems: (model: KernelModel) => readonly Problem[];
  /** Answers how many calls were compared: 0 where the candidate declines the operands. */
  readonly check: (run: Run) => number;
}

function fail(run: Run, code: ConformanceErrorCode, problem: string, facts: object = {}): never {
  const operands = describeCall(run.model.spec.kind, run.sample, "tensors", run.seed);
  throw new ConformanceError(code, run.caseId, problem, { ...facts, operands });
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

/** Runs the operation; false where no kernel takes the operands. */
function isTaken(run: Run, tensors: Tensors): boolean {
  try {
    runOperation(run.model.spec, tensors, run.sample);
    return true;
  } catch (error) {
    if (codeOf(error) === "SW_TENSOR_KERNEL_MISSING") return false;
    fail(run, "SW_CONFORMANCE_THROWN", `the operation threw: got ${String(error)}, expected no error.`, {
      cause: error,
    });
  }
}

function compareAll(run: Run, { outputs, inputs }: Tensors): void {
  const { model, sample } = run;
  const expected = sample.expected!();
  outputs.forEach((output, i) => {
    const shape = output.tensor.shape;
    const comparison: Comparison = { bound: model.bound, dtype: output.dtype, shape, expected: expected[i]! };
    const wrong = compareOutput(comparison, elementsOf(output));
    if (wrong !== undefined) fail(run, "SW_CONFORMANCE_VALUE", `output ${i} ${wrong.problem}`, wrong.facts);
  });
  inputs.forEach((input, i) => {
    if (!sameValues(elementsOf(input), sample.inputs[i]!.values!)) {
      fail(
        run,
        "SW_CONFORMANCE_INPUT",
        `the kernel wrote into input ${i}: got other elements, expected those of before.`,
      );
    }
  });
}

function sameValues(a: readonly Value[], b: readonly Value[]): boolean {
  return a.every((value, i) => Object.is(value, b[i]));
}

const SAMPLED = (model: KernelModel): readonly Problem[] => model.problems;
const ONE = (model: KernelModel): readonly Problem[] => model.problems.slice(1, 2);

const FLAT: Lying = { outputs: "flat", inputs: "flat", inputsIn: "default" };

/** Runs the operation on tensors that lie in each of some ways, and compares all results. */
function checkValues(ways: (model: KernelModel) => readonly Lying[]): TensorKind["check"] {
  return (run) => {
    let checks = 0;
    for (const way of ways(run.model)) {
      withTensors(run.candidate, run.sample, way, (tensors) => {
        if (!isTaken(run, tensors)) return;
        compareAll(run, tensors);
        checks += 1;
      });
    }
    return checks;
  };
}

/** Nested outputs are met by kernels of loops only: others get outputs that are new, and row-major. */
function nestings({ spec }: KernelModel): readonly Lying[] {
  const inputs: Lying = { ...FLAT, inputs: "nested" };
  return spec.family === "loops" ? [inputs, { ...FLAT, outputs: "nested" }] : [inputs];
}

const onTheHeap = (): readonly Lying[] => [{ ...FLAT, inputsIn: "heap" }];

/** Spoils each operand in turn, and looks that the call is refused before the kernel runs and anything changes. */
function checkRefused(
  code: string,
  which: (tensors: Tensors) => readonly Placed[],
  spoil: (operand: Placed) => () => void,
): TensorKind["check"] {
  return (run) => {
    let checks = 0;
    const { backend, calls } = counting(run.candidate, run.model.spec.kind);
    withTensors(backend, run.sample, FLAT, (tensors) => {
      if (!isTaken(run, tensors)) return;
      const before = calls();
      for (const operand of which(tensors)) {
        const held = tensors.outputs.map(elementsOf);
        const restore = spoil(operand);
        let thrown: unknown;
        try {
          runOperation(run.model.spec, tensors, run.sample);
        } catch (error) {
          thrown = error;
        }
        restore();
        if (codeOf(thrown) !== code || calls() !== before) {
          const got = thrown === undefined ? "no error" : String(thrown);
          fail(
            run,
            "SW_CONFORMANCE_ACCEPTED",
            `the operands must be refused, and no kernel called: got ${got}, expected ${code}.`,
          );
        }
        if (!tensors.outputs.every((output, i) => sameValues(elementsOf(output), held[i]!))) {
          fail(
            run,
            "SW_CONFORMANCE_CANARY",
            "a call that was refused wrote into an output: got other elements, expected those of before.",
          );
        }
        checks += 1;
      }
    });
    return checks;
  };
}

/** Makes a handle that outlived its memory, by the generation that a buffer counts. */
function endGeneration({ buffer }: Placed): () => void {
  buffer.generation += 1;
  return () => {
    buffer.generation -= 1;
  };
}

function protect({ buffer }: Placed): () => void {
  buffer.readOnly = true;
  return () => {
    buffer.readOnly = false;
  };
}

const CALLS_FOR_LEAK = 8;

/** Looks whether as much memory is lent after a number of calls as before. */
function checkLeak(run: Run): number {
  const { candidate } = run;
  const lent = (): readonly unknown[] =>
    withKernels([candidate], () => {
      const { live, liveBytes } = defaultPool().statistics();
      return [live, liveBytes, (candidate.memory as { readonly inUse?: number } | undefined)?.inUse];
    });
  // Once for what is kept from the first call on: blocks of the pool, working memory.
  let checks = checkValues(onTheHeap)(run);
  if (checks === 0) return 0;
  const before = lent();
  for (let i = 0; i < CALLS_FOR_LEAK; i++) checks += checkValues(onTheHeap)(run);
  const after = lent();
  if (before.some((value, i) => value !== after[i])) {
    fail(
      run,
      "SW_CONFORMANCE_LEAK",
      `memory is still taken after ${CALLS_FOR_LEAK} calls: got ${after.join(", ")} buffers, bytes and bytes of the memory, expected ${before.join(", ")}.`,
    );
  }
  return checks;
}

const KINDS: readonly TensorKind[] = [
  { name: "nested-layout", problems: SAMPLED, check: checkValues(nestings) },
  { name: "foreign-operand", needs: ["memory"], problems: SAMPLED, check: checkValues(onTheHeap) },
  {
    name: "stale",
    problems: ONE,
    check: checkRefused("SW_BUFFER_STALE", ({ outputs, inputs }) => [...outputs, ...inputs], endGeneration),
  },
  {
    name: "read-only",
    problems: ONE,
    check: checkRefused("SW_BUFFER_READ_ONLY", ({ outputs }) => outputs, protect),
  },
  { name: "no-leak", problems: ONE, check: checkLeak },
];

function tensorCase(id: string, model: KernelModel, kind: TensorKind): Case<Backend> {
  const { kind: kernel } = model.spec;
  return {
    id,
    since: "0.1.0",
    subject: kernel,
    needs: [`kernel:${kernel}`, ...(kind.needs ?? [])],
    run(candidate): CaseOutcome {
      const seed = seedOf(id);
      const source = random(seed);
      const placers = model.roles.map(() => contiguous);
      let checks = 0;
      let declined = 0;
      try {
        for (const dtype of dtypesOf(model.spec)) {
          for (const problem of kind.problems(model)) {
            const sample = model.sample(dtype, problem, placers, ordinaryDraw, source);
            const found = kind.check({ candidate, model, caseId: id, seed, sample });
            checks += found;
            if (found === 0) declined += 1;
          }
        }
      } finally {
        // The pool of a memory is the process's: the kit leaves nothing in it.
        withKernels([candidate], () => {
          defaultPool().trim();
        });
      }
      if (checks > 0) return { checks, declined };
      return { skipped: "supports() declines the operands, all sets of them", checks, declined };
    },
  };
}

/** Builds the cases over tensors whose ids pass a filter: `tensors/<kernel>/<what is in question>`. */
export function tensorCases(filter: (id: string) => boolean): readonly Case<Backend>[] {
  return kernelModels().flatMap((model) =>
    KINDS.flatMap((kind) => {
      const id = idOf("tensors", model, undefined, kind.name);
      return filter(id) ? [tensorCase(id, model, kind)] : [];
    }),
  );
}
