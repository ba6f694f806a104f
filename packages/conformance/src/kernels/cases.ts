import type { Backend } from "@sw/tensor/seam";
import type { Bound } from "../bounds.js";
import type { Case, CaseOutcome } from "../case.js";
import { arrangements, contiguous, FORMS } from "../operands/forms.js";
import { createWorkspace } from "../operands/memory.js";
import { type Random, random, seedOf } from "../random.js";
import { type DType, FLOAT_DTYPES } from "../values.js";
import { checkSample } from "./check.js";
import { dtypesOf, type KernelModel, ordinaryDraw, type Problem } from "./model.js";
import { kernelModels } from "./models.js";
import type { Sample, Whereabouts } from "./sample.js";
import { specialSamples } from "./special.js";

type MakeSamples = (model: KernelModel, dtype: DType, source: Random) => readonly Sample[];

/** A kind of case that every kernel has. */
export interface Kind {
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

/** The kinds of cases that every kernel has. */
export function everyKind(): readonly Kind[] {
  return [
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
}

/** One case before it is built. */
interface Draft {
  readonly model: KernelModel;
  readonly dtype: DType;
  readonly id: string;
  readonly bound: Bound;
  readonly where: readonly Whereabouts[];
  readonly samples: (source: Random) => readonly Sample[];
}

/** Whether a backend has a kernel. */
export function hasKernel(candidate: Backend, kernel: string): boolean {
  return Object.hasOwn(candidate.kernels, kernel) && candidate.kernels[kernel] !== undefined;
}

function kernelCase({ model, id, bound, where, samples }: Draft): Case<Backend> {
  const name = model.spec.kind;
  return {
    id,
    since: "0.1.0",
    subject: name,
    needs: [`kernel:${name}`, ...(where === OWN ? [] : ["memory"])],
    run(candidate: Backend): CaseOutcome {
      const kernel = candidate.kernels[name]!;
      const seed = seedOf(id);
      const all = samples(random(seed));
      const workspace = createWorkspace();
      let checks = 0;
      let declined = 0;
      for (const place of where) {
        for (const sample of all) {
          const call = { candidate, kernel, name, caseId: id, sample, where: place, seed, bound, workspace };
          if (checkSample(call)) checks += 1;
          else declined += 1;
        }
      }
      if (checks > 0) return { checks, declined };
      return { skipped: "supports() declines the operands, all sets of them", checks, declined };
    },
  };
}

function idOf(prefix: string, { spec, variant }: KernelModel, dtype: DType, kind: string): string {
  return [prefix, spec.kind, dtype, ...(variant === undefined ? [] : [variant]), kind].join("/");
}

function draftsOf(model: KernelModel): readonly Draft[] {
  const { bound } = model;
  const kinds = everyKind().filter(({ applies }) => applies === undefined || applies(model));
  return dtypesOf(model.spec).flatMap((dtype): Draft[] => [
    ...kinds.map(({ name, where, samples }) => ({
      model,
      dtype,
      bound,
      where,
      id: idOf("kernels", model, dtype, name),
      samples: (source: Random) => samples(model, dtype, source),
    })),
    ...model.own
      .filter(({ dtypes }) => dtypes === undefined || dtypes.includes(dtype))
      .map((own) => ({
        model,
        dtype,
        bound,
        where: OWN,
        id: idOf("kernels", model, dtype, own.name),
        samples: (source: Random) => own.samples(dtype, source),
      })),
  ]);
}

function exactDraftsOf(model: KernelModel): readonly Draft[] {
  const { exactBound } = model;
  if (exactBound === undefined) return [];
  const kinds = everyKind().filter(({ name }) => name === "sizes" || name === "random");
  return FLOAT_DTYPES.flatMap((dtype) =>
    kinds.map(({ name, samples }) => ({
      model,
      dtype,
      bound: exactBound,
      where: OWN,
      id: idOf("exact", model, dtype, name),
      samples: (source: Random) => samples(model, dtype, source),
    })),
  );
}

/** Builds the cases of `kernelKit` whose ids pass a filter. */
export function kernelCases(filter: (id: string) => boolean): readonly Case<Backend>[] {
  return chosen(draftsOf, filter);
}

/** Builds the cases of `exactKernelKit` whose ids pass a filter. */
export function exactKernelCases(filter: (id: string) => boolean): readonly Case<Backend>[] {
  return chosen(exactDraftsOf, filter);
}

function chosen(drafts: (model: KernelModel) => readonly Draft[], filter: (id: string) => boolean): Case<Backend>[] {
  return kernelModels().flatMap((model) =>
    drafts(model)
      .filter(({ id }) => filter(id))
      .map(kernelCase),
  );
}
