import type { Backend, DirectKernel, Kernel, Operand } from "@sw/tensor/seam";
import type { Bound } from "../bounds.js";
import type { Case, CaseOutcome, Tools } from "../case.js";
import { createWorkspace } from "../operands/memory.js";
import { createRecords } from "../operands/records.js";
import { random, seedOf } from "../random.js";
import { type DType, FLOAT_DTYPES } from "../values.js";
import { type Call, checkSample } from "./check.js";
import { everyKind, type Kind, OWN } from "./kinds.js";
import { checkAllocation } from "./metered.js";
import { dtypesOf, type KernelModel } from "./model.js";
import { kernelModels } from "./models.js";
import type { Sample } from "./sample.js";

/** The id of a case, in which the variant of a kernel has a part of its own. */
export function idOf(prefix: string, { spec, variant }: KernelModel, dtype: DType | undefined, name: string): string {
  return [prefix, spec.kind, dtype, variant, name].filter((part) => part !== undefined).join("/");
}

/** What a case of a kind needs of a candidate and of the host, beside what is tried. */
export function needsOf(of: string, { where, manner }: Kind): readonly string[] {
  return [of, ...(where === OWN ? [] : ["memory"]), ...(manner === "metered" ? ["meter"] : [])];
}

/** A direct kernel, as one that is handed operands. */
function directly(run: DirectKernel): Kernel {
  return ([out], inputs) => {
    const count = out!.shape.reduce((product, extent) => product * extent, 1);
    run(count, addressOf(out!), addressOf(inputs[0]!), addressOf(inputs.at(-1)!));
  };
}

function addressOf({ data, offset }: Operand): number {
  return (data.byteOffset + offset * data.BYTES_PER_ELEMENT) | 0;
}

/** What is tried: a kernel, by the model of what it computes. */
interface Trial {
  readonly id: string;
  readonly name: string;
  readonly kernel: Kernel;
  readonly model: KernelModel;
  readonly dtype: DType;
  readonly bound: Bound;
}

/** Tries a kernel in one way. */
export function tryKernel(candidate: Backend, trial: Trial, kind: Kind, tools: Tools): CaseOutcome {
  const { id, name, kernel, model, dtype, bound } = trial;
  const seed = seedOf(id);
  const samples = kind.samples(model, dtype, random(seed));
  const common = { candidate, kernel, name, caseId: id, seed, bound };
  const records = kind.manner === "records reused" ? createRecords() : undefined;
  const workspace = createWorkspace();
  const callOf = (sample: Sample, where: Call["where"]): Call => ({ ...common, sample, where, workspace, records });
  if (kind.manner === "metered") {
    const calls = samples.map((sample) => callOf(sample, "own"));
    return outcome(checkAllocation(calls, tools.meter!) ? 1 : 0, 1);
  }
  let checks = 0;
  for (const place of kind.where) {
    for (const sample of samples) if (checkSample(callOf(sample, place))) checks += 1;
  }
  return outcome(checks, samples.length * kind.where.length);
}

function kernelCase(id: string, model: KernelModel, dtype: DType, kind: Kind, bound: Bound): Case<Backend> {
  const name = model.spec.kind;
  const isDirect = kind.manner === "direct";
  return {
    id,
    since: "0.1.0",
    subject: name,
    needs: [...needsOf(`kernel:${name}`, kind), ...(isDirect ? [`direct:${name}/${dtype}`] : [])],
    run: (candidate, tools) => {
      const kernel = isDirect ? directly(candidate.direct!(name, dtype)!) : candidate.kernels[name]!;
      return tryKernel(candidate, { id, name, kernel, model, dtype, bound }, kind, tools);
    },
  };
}

function outcome(checks: number, of: number): CaseOutcome {
  const declined = of - checks;
  if (checks > 0) return { checks, declined };
  return { skipped: "supports() declines the operands, all sets of them", checks, declined };
}

/** Builds the cases of `kernelKit` about kernels alone, whose ids pass a filter. */
export function kernelCases(filter: (id: string) => boolean): readonly Case<Backend>[] {
  const kinds = everyKind();
  const found: Case<Backend>[] = [];
  for (const model of kernelModels()) {
    for (const dtype of dtypesOf(model.spec)) {
      const own = model.own
        .filter(({ dtypes }) => dtypes === undefined || dtypes.includes(dtype))
        .map(
          ({ name, samples }): Kind => ({
            name,
            samples: (_, d, source) => samples(d, source),
            where: OWN,
            manner: "called",
          }),
        );
      for (const kind of [...kinds, ...own]) {
        const id = idOf("kernels", model, dtype, kind.name);
        if (!filter(id) || kind.applies?.(model, dtype) === false) continue;
        found.push(kernelCase(id, model, dtype, kind, model.bound));
      }
    }
  }
  return found;
}

/** Builds the cases of `exactKernelKit` whose ids pass a filter. */
export function exactKernelCases(filter: (id: string) => boolean): readonly Case<Backend>[] {
  const kinds = everyKind().filter(({ name }) => name === "sizes" || name === "random");
  const found: Case<Backend>[] = [];
  for (const model of kernelModels()) {
    const { exactBound } = model;
    if (exactBound === undefined) continue;
    for (const dtype of FLOAT_DTYPES) {
      for (const kind of kinds) {
        const id = idOf("exact", model, dtype, kind.name);
        if (filter(id)) found.push(kernelCase(id, model, dtype, kind, exactBound));
      }
    }
  }
  return found;
}
