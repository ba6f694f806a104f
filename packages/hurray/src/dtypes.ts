import { type DType, isDType } from "@sw/tensor";
import { elementTypeNamed, nameOfTag } from "./elements.js";

/** The dtype of tensors for an element type tag; `undefined` where tensors have none. The names are the same. @since 0.1.0 */
export function dtypeOfTag(tag: number): DType | undefined {
  const name = nameOfTag(tag);
  return isDType(name) ? name : undefined;
}

/** The element type tag that stores a dtype. Every dtype has one. @since 0.1.0 */
export function tagOfDType(dtype: DType): number {
  return elementTypeNamed(dtype).tag;
}
