import { flipAxis, rowMajor, sliceAxis } from "@sw/layout";
import { views } from "@sw/tensor";
import { gatherFrom, scatterInto } from "@sw/tensor/seam";
import { type Checks, type F64, forms, normal } from "../forms.js";

export const CHECKS: Checks = {
  scatterInto: () =>
    forms(normal).map((x) => [
      (a) => scatterInto(rowMajor([3, 8]), sliceAxis(rowMajor([3, 8]), 1, 0, 8, 2), a as F64),
      [x],
    ]),
  gatherFrom: () =>
    forms(normal).map((x) => [(a) => gatherFrom(a as F64, rowMajor([3, 4]), flipAxis(rowMajor([3, 4]), 1)), [x]]),
  slice: () => forms(normal).map((x) => [(a) => (a as F64).slice(1, 1, 4, 2), [x]]),
  select: () => forms(normal).map((x) => [(a) => (a as F64).select(0, 2), [x]]),
  flip: () => forms(normal).map((x) => [(a) => (a as F64).flip(0), [x]]),
  permute: () => [[(a) => (a as F64).permute([2, 0, 1]), [normal([2, 3, 4])]]],
  reshape: () => forms(normal).map((x) => [(a) => (a as F64).reshape([2, 6]).unsqueeze(1).squeeze(), [x]]),
  views: () =>
    forms(normal).map((x) => [
      (a) => views.rearrange(views.slice(a as F64, [{}, { start: 2 }]), "a b -> (b a)") as F64,
      [x],
    ]),
  expand: () => [
    [(a) => (a as F64).expand([2, 3, 4]), [normal([3, 1])]],
    [(a) => (a as F64).expand([2, 0]), [normal([2, 1])]],
  ],
};
