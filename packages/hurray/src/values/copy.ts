import { wordsOf } from "./arrays.js";
import { codeAt, packCodes, setCode, signShift, unpackCodes } from "./pack.js";

/** Copies `count` elements, `step` apart from `from` on, to places `toStep` apart from `to` on. */
export type Copy = (from: number, step: number, to: number, toStep: number, count: number) => void;

/** Runs of fewer elements are not worth a call. */
const RUN = 16;

/** What copies elements of whole bytes. */
export function wordCopier(bits: number, bytes: Uint8Array, into: Uint8Array): Copy {
  const { words: source, perElement } = wordsOf(bits, bytes);
  const target = wordsOf(bits, into).words;
  return (from, step, to, toStep, count) => {
    if (step === 1 && toStep === 1 && count >= RUN) {
      target.set(source.subarray(from * perElement, (from + count) * perElement), to * perElement);
    } else if (perElement === 1) {
      for (let i = 0; i < count; i++) target[to + i * toStep] = source[from + i * step]!;
    } else {
      for (let i = 0; i < count; i++) {
        const a = (from + i * step) * perElement;
        const b = (to + i * toStep) * perElement;
        for (let w = 0; w < perElement; w++) target[b + w] = source[a + w]!;
      }
    }
  };
}

/** What copies packed elements to a byte each. */
export function codeReader(bits: number, signed: boolean, bytes: Uint8Array, into: Uint8Array): Copy {
  const shift = signShift(bits, signed);
  return (from, step, to, toStep, count) => {
    if (step === 1 && toStep === 1 && count >= RUN) {
      unpackCodes(bits, signed, bytes, from, into.subarray(to, to + count));
      return;
    }
    for (let i = 0; i < count; i++) into[to + i * toStep] = (codeAt(bits, bytes, from + i * step) << shift) >> shift;
  };
}

/** What packs elements of a byte each. */
export function codeWriter(bits: number, codes: Uint8Array, into: Uint8Array): Copy {
  return (from, step, to, toStep, count) => {
    if (step === 1 && toStep === 1 && count >= RUN) packCodes(bits, codes.subarray(from, from + count), into, to);
    else for (let i = 0; i < count; i++) setCode(bits, into, to + i * toStep, codes[from + i * step]!);
  };
}
