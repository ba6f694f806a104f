import { arrangements, contiguous, FORMS, type Form } from "../operands/forms.js";
import type { Placement } from "../operands/placing.js";
import type { Random } from "../random.js";
import type { DType } from "../values.js";
import { type KernelModel, ordinaryDraw, type Problem } from "./model.js";
import type { Plan, Sample, Whereabouts } from "./sample.js";
import { specialSamples } from "./special.js";

export type MakeSamples = (model: KernelModel, dtype: DType, source: Random) => readonly Sample[];

/**
 * What is done with the samples of a case: each is checked by itself, in used records or not, or by addresses alone; or
 * two are measured.
 */
export type Manner = "called" | "records reused" | "direct" | "metered";

/** A kind of case that every kernel has to which it applies. */
export interface Kind {
  readonly name: string;
  readonly samples: MakeSamples;
  readonly where: readonly Whereabouts[];
  readonly manner: Manner;
  readonly applies?: (model: KernelModel, dtype: DType) => boolean;
}

export const OWN: readonly Whereabouts[] = ["own"];

function contiguousAt(problems: (model: KernelModel) => readonly Problem[]): MakeSamples {
  return (model, dtype, source) => {
    const placers = model.roles.map(() => contiguous);
    return problems(model).map((problem) => model.sample(dtype, problem, placers, ordinaryDraw, source));
  };
}

/** Every problem of a model, with operands that lie in some ways. */
function lying(...forms: readonly Form[]): MakeSamples {
  return (model, dtype, source) =>
    forms.flatMap((form) =>
      arrangements(form, model.roles, source).flatMap((placers) =>
        model.problems.map((problem) => model.sample(dtype, problem, placers, ordinaryDraw, source)),
      ),
    );
}

/** The same, all operands of a call in one way. */
function lyingAlike(...forms: readonly Form[]): MakeSamples {
  return (model, dtype, source) =>
    forms.flatMap((form) =>
      arrangements(form, model.roles, source)
        .filter((placers) => placers.every((placer) => placer === placers[0]))
        .flatMap((placers) =>
          model.problems.map((problem) => model.sample(dtype, problem, placers, ordinaryDraw, source)),
        ),
    );
}

const randomForm: MakeSamples = (model, dtype, source) =>
  arrangements("random", model.roles, source).map((placers) =>
    model.sample(dtype, model.randomProblem(source), placers, ordinaryDraw, source),
  );

/** The dtype that an operand has by its name in the spec; `undefined` where it is not a fixed one, nor that of the call. */
function dtypeIn(operand: string, dtype: DType): string | undefined {
  const own = /:(\w+)/.exec(operand)?.[1];
  if (own === "any" || own === "index" || own === "sum") return undefined;
  return own ?? dtype;
}

/** Whether the seam lets the output be one of the inputs: element by element, of one dtype, written and not read. */
function mayBeInPlace({ spec, roles }: KernelModel, dtype: DType): boolean {
  if (spec.family !== "loops" || roles[0] !== "out") return false;
  const output = dtypeIn(spec.outputs[0]!, dtype);
  return spec.inputs.some((input) => dtypeIn(input, dtype) === output);
}

function sameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function liesAs(a: Placement, b: Placement): boolean {
  return sameList(a.shape, b.shape) && sameList(a.strides, b.strides) && a.offset === b.offset && a.length === b.length;
}

/** The samples whose output lies as an input of its dtype does, once for each such input. */
const inPlace: MakeSamples = (model, dtype, source) =>
  lying(
    "contiguous",
    "transposed",
    "reversed",
    "gapped",
  )(model, dtype, source).flatMap((sample) => {
    const output = sample.outputs[0]!;
    const fits = (input: Plan): boolean => input.dtype === output.dtype && liesAs(input.placement, output.placement);
    return sample.inputs.flatMap((input, i) => (fits(input) ? [{ ...sample, inPlaceOf: i }] : []));
  });

/** Whether a direct kernel can be asked for: one or two inputs and an output of one dtype, and no numbers. */
function mayBeDirect({ spec }: KernelModel): boolean {
  const operands = [...spec.outputs, ...spec.inputs];
  if (spec.family !== "loops" || spec.outputs.length !== 1 || spec.inputs.length > 2) return false;
  const numbers = [...spec.ints, ...spec.floats.filter((name) => name !== "number?")];
  return numbers.length === 0 && operands.every((name) => /^\w+$/.test(name));
}

/** Loops of all sizes and special values, without those of no turn, which no direct kernel is called for. */
const dense: MakeSamples = (model, dtype, source) =>
  [...contiguousAt(({ sizes }) => sizes)(model, dtype, source), ...specialSamples(model, dtype, source)].filter(
    ({ outputs, inputs }) => [...outputs, ...inputs].every(({ placement }) => isDense(placement)),
  );

function isDense({ shape, strides }: Placement): boolean {
  let count = 1;
  for (let loop = shape.length - 1; loop >= 0; loop--) {
    if (shape[loop] !== 1 && strides[loop] !== count) return false;
    count *= shape[loop]!;
  }
  return count > 0;
}

/** The loop that a call has besides, where it is measured: what a kernel takes of the heap may not grow with it. */
const MANY = 16_384;

const fewAndMany: MakeSamples = (model, dtype, source) => {
  const few = model.sizes[0]!;
  const placers = model.roles.map(() => contiguous);
  return [few, few.with(-1, MANY)].map((problem) => model.sample(dtype, problem, placers, ordinaryDraw, source));
};

/**
 * Whether it is measured what a kernel takes of the heap. Kernels along axes may need room for a row. Values of 64-bit
 * integers are objects of the heap themselves, so that one dtype stands for all.
 */
function isMeasured({ spec: { family, kinds } }: KernelModel, dtype: DType): boolean {
  return family !== "axes" && dtype === (kinds.includes("float") ? "float32" : "bool");
}

/** The kinds of cases that every kernel has. */
export function everyKind(): readonly Kind[] {
  const called = { where: OWN, manner: "called" } as const;
  const several = lying("contiguous", "transposed", "gapped");
  return [
    ...FORMS.map((name): Kind => ({ name, samples: name === "random" ? randomForm : lying(name), ...called })),
    { name: "sizes", samples: contiguousAt((model) => model.sizes), ...called },
    { name: "extent-1", samples: contiguousAt((model) => model.ones), ...called },
    {
      name: "empty",
      samples: contiguousAt((model) => model.empty),
      ...called,
      applies: (model) => model.empty.length > 0,
    },
    { name: "special-values", samples: specialSamples, ...called },
    { name: "in-place", samples: inPlace, ...called, applies: mayBeInPlace },
    {
      name: "reused-operands",
      samples: lyingAlike("contiguous", "transposed", "offset"),
      where: OWN,
      manner: "records reused",
    },
    { name: "direct", samples: dense, where: OWN, manner: "direct", applies: mayBeDirect },
    { name: "no-allocation", samples: fewAndMany, where: OWN, manner: "metered", applies: isMeasured },
    { name: "foreign-memory", samples: several, where: ["foreign"], manner: "called" },
    { name: "mixed-memory", samples: several, where: ["foreign inputs", "foreign outputs"], manner: "called" },
  ];
}
