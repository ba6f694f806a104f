import { PREFIX_LENGTH } from "../descriptor/header.js";
import { HurrayFormatError } from "../errors.js";
import { type HurraySource, readBytes } from "../source/source.js";
import { itemLength } from "../stream/read.js";
import { CompositeSurvey } from "./composites.js";
import { surveyData } from "./data.js";
import { surveyDescriptor } from "./descriptor.js";
import { type Finding, Findings } from "./finding.js";
import type { CheckedOptions } from "./options.js";

/** Checks a raw stream: descriptors and buffers back to back, as far as they can be followed. */
export async function* surveyStream(
  source: HurraySource,
  operation: string,
  options: CheckedOptions,
): AsyncGenerator<Finding, void, void> {
  const findings = new Findings(operation);
  const composites = new CompositeSurvey(findings, options.coverSteps);
  const size = source.byteLength;
  let position = 0;
  for (let k = 0; position < size; k++) {
    options.signal?.throwIfAborted();
    const next = await surveyItem(source, findings, composites, position, `#${k}`, options);
    yield* findings.take();
    if (next === undefined) return;
    position = next;
    options.onProgress?.(position, size);
  }
  composites.end(position);
  yield* findings.take();
}

/** Checks a tensor or a head, and gives where the next one begins; `undefined` where nothing can. */
async function surveyItem(
  source: HurraySource,
  findings: Findings,
  composites: CompositeSurvey,
  start: number,
  name: string,
  options: CheckedOptions,
): Promise<number | undefined> {
  const { operation } = findings;
  const { maximumDescriptorBytes, accept } = options;
  const left = source.byteLength - start;
  const refuse = (
    rule: "R155" | "R156",
    field: string,
    at: number,
    problem: string,
    given: number | bigint,
    expected: string,
  ): void =>
    findings.refuse(new HurrayFormatError(operation, rule, field, at, problem, `${given} bytes`, expected), { name });
  const cutShort = (what: string, at: number, given: number | bigint, expected: number | bigint): void =>
    refuse("R155", what, at, `the stream ends within ${what}`, given, `${expected}`);
  const prefix = await readBytes(source, operation, start, start + Math.min(left, PREFIX_LENGTH));
  if (left < PREFIX_LENGTH) return void cutShort("a descriptor", start, left, PREFIX_LENGTH);
  const length = findings.attempt(() => itemLength(prefix, operation, start), { name });
  if (length === undefined) return undefined;
  if (length > maximumDescriptorBytes) {
    const problem = "the descriptor is larger than is accepted";
    return void refuse("R156", "descriptor_length", start + 6, problem, length, `at most ${maximumDescriptorBytes}`);
  }
  if (length > left) return void cutShort("a descriptor", start, left, length);
  const bytes = await readBytes(source, operation, start, start + length);
  const surveyed = surveyDescriptor(bytes, findings, { base: start, name, ...(accept && { accept }) });
  composites.next(surveyed, name, start);
  const { descriptor, byteSizes } = surveyed;
  if (byteSizes === undefined) {
    findings.note("stream", start, "not checked: what follows cannot be found past this descriptor.", name);
    return undefined;
  }
  const starts: number[] = [];
  let position = start + length;
  for (const [k, byteSize] of byteSizes.entries()) {
    const rest = source.byteLength - position;
    if (byteSize > BigInt(rest)) return void cutShort(`buffer ${k}`, position, rest, byteSize);
    starts.push(position);
    position += Number(byteSize);
  }
  if (descriptor !== undefined) {
    await surveyData(source, descriptor, starts, name, findings, options.maximumDataBytes);
  }
  return position;
}
