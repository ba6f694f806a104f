import type { Backend } from "@sw/tensor/seam";
import { BOUNDS, type BoundTable, EXACT_BOUNDS } from "../bounds.js";
import type { Case, CaseOutcome, Needs } from "../case.js";
import { arrangements, contiguous, FORMS } from "../operands/forms.js";
import { createWorkspace } from "../operands/memory.js";
import { type Random, random, seedOf } from "../random.js";
import { type DType, FLOAT_DTYPES } from "../values.js";
import { ARGMAX } from "./argmax.js";
import { checkSample } from "./check.js";
import { ACCUMULATE, ELEMENTWISE } from "./elementwise.js";
import { LOSS } from "./loss.js";
import { MATMUL } from "./matmul.js";
import { dtypesOf, type KernelModel, ordinaryDraw, type Problem } from "./model.js";
import { NORMALISE } from "./normalise.js";
import { OPTIMISE } from "./optimise.js";
import { REDUCE } from "./reduce.js";
import type { Sample, Whereabouts } from "./sample.js";
import { specialSamples } from "./special.js";

type MakeSamples = (model: KernelModel, dtype: DType, source: Random) => readonly Sample[];

/** A kind of case that every kernel has. */
interface Kind {
  readonly name: string;
  readonly samples: MakeSamples;
  readonly where: readonly Whereabouts[];
  readonly applies?: (model: KernelModel) => boolean;
}

const OWN: readonly Whereabouts[] = ["own"];

function contiguousAt(problems: (model: KernelModel) => readonly Problem[]): MakeSamples {
  return (model, dtype, source) => {
    const placers = model.roles.map(() => contiguous);
    return problems(model).map((problem) => model.sample(dtype, problem, placers, ordinaryDraw, source));
  };
}

const randomForm: MakeSamples = (model, dtype, source) =>
  arrangements("random", model.roles, source).map((placers) =>
    model.sample(dtype, model.randomProblem(source), placers, ordinaryDraw, source),
  );

const SEVERAL: MakeSamples = (model, dtype, source) =>
  (["contiguous", "transposed", "gapped"] as const).flatMap((form) =>
    arrangements(form, model.roles, source).flatMap((placers) =>
      model.problems.map((problem) => model.sample(dtype, problem, placers, ordinaryDraw, source)),
    ),
  );

const KINDS: readonly Kind[] = [
  ...FORMS.map((form): Kind => {
    if (form === "random") return { name: form, samples: randomForm, where: OWN };
    const samples: MakeSamples = (model, dtype, source) =>
      arrangements(form, model.roles, source).flatMap((placers) =>
        model.problems.map((problem) => model.sample(dtype, problem, placers, ordinaryDraw, source)),
      );
    return { name: form, samples, where: OWN };
  }),
  { name: "sizes", samples: contiguousAt((model) => model.sizes), where: OWN },
  { name: "extent-1", samples: contiguousAt((model) => model.ones), where: OWN },
  {
    name: "empty",
    samples: contiguousAt((model) => model.empty),
    where: OWN,
    applies: (model) => model.empty.length > 0,
  },
  { name: "special-values", samples: specialSamples, where: OWN },
  { name: "foreign-memory", samples: SEVERAL, where: ["foreign"] },
  { name: "mixed-memory", samples: SEVERAL, where: ["foreign inputs", "foreign outputs"] },
];

interface Built {
  readonly model: KernelModel;
  readonly dtype: DType;
  readonly prefix: string;
  readonly kind: string;
  readonly bounds: BoundTable;
  readonly where: readonly Whereabouts[];
  samples(source: Random): readonly Sample[];
}

function kernelCase({ model, dtype, prefix, kind, bounds, where, samples }: Built): Case {
  const name = model.kernel;
  const id = [prefix, name, dtype, ...(model.variant === undefined ? [] : [model.variant]), kind].join("/");
  const needs: Needs = { kernel: name, ...(where === OWN ? {} : { memory: "own" as const }) };
  return {
    id,
    since: "0.1.0",
    needs,
    run(candidate: Backend): CaseOutcome {
      const kernel = Object.hasOwn(candidate.kernels, name) ? candidate.kernels[name] : undefined;
      if (kernel === undefined) return skipped(`the candidate has no kernel ${name}`, 0);
      if (needs.memory !== undefined && candidate.memory === undefined) {
        return skipped("the candidate declares no memory: its operands lie on the heap in every other case", 0);
      }
      const seed = seedOf(id);
      const all = samples(random(seed));
      const workspace = createWorkspace();
      const bound = bounds[name]!;
      let checks = 0;
      let declined = 0;
      for (const place of where) {
        for (const sample of all) {
          const call = { candidate, kernel, name, caseId: id, sample, where: place, seed, bound, workspace };
          if (checkSample(call)) checks += 1;
          else declined += 1;
        }
      }
      if (checks === 0) return skipped("supports() declines the operands, all sets of them", declined);
      return { checks, declined };
    },
  };
}

function skipped(reason: string, declined: number): CaseOutcome {
  return { skipped: reason, checks: 0, declined };
}

const MODELS: readonly KernelModel[] = [
  ...ELEMENTWISE,
  ACCUMULATE,
  ...OPTIMISE,
  ...REDUCE,
  ARGMAX,
  MATMUL,
  ...NORMALISE,
  ...LOSS,
];

function casesOf(model: KernelModel): readonly Case[] {
  const cases: Case[] = [];
  for (const dtype of dtypesOf(model.kernel)) {
    const common = { model, dtype, prefix: "kernels", bounds: BOUNDS };
    for (const kind of KINDS) {
      if (kind.applies !== undefined && !kind.applies(model)) continue;
      const samples = (source: Random): readonly Sample[] => kind.samples(model, dtype, source);
      cases.push(kernelCase({ ...common, kind: kind.name, where: kind.where, samples }));
    }
    for (const own of model.own) {
      if (own.dtypes !== undefined && !own.dtypes.includes(dtype)) continue;
      const samples = (source: Random): readonly Sample[] => own.samples(dtype, source);
      cases.push(kernelCase({ ...common, kind: own.name, where: OWN, samples }));
    }
  }
  return cases;
}

function exactCasesOf(model: KernelModel): readonly Case[] {
  if (!Object.hasOwn(EXACT_BOUNDS, model.kernel)) return [];
  return FLOAT_DTYPES.flatMap((dtype) =>
    ["sizes", "random"].map((name) => {
      const kind = KINDS.find((one) => one.name === name)!;
      const samples = (source: Random): readonly Sample[] => kind.samples(model, dtype, source);
      return kernelCase({ model, dtype, prefix: "exact", bounds: EXACT_BOUNDS, kind: name, where: OWN, samples });
    }),
  );
}

/**
 * What every kernel of a backend keeps to, a case for each kernel, dtype and way of lying in memory:
 * `kernels/<kernel>/<dtype>/<what is in question>`.
 *
 * @since 0.1.0
 */
export const kernelCases: readonly Case[] = /* @__PURE__ */ MODELS.flatMap(casesOf);

/**
 * What a backend keeps to as well when it calls itself exact: float64 accumulation, one rounding (D8).
 * `exact/<kernel>/<dtype>/<what is in question>`.
 *
 * @since 0.1.0
 */
export const exactKernelCases: readonly Case[] = /* @__PURE__ */ MODELS.flatMap(exactCasesOf);
