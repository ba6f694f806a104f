import { leaves } from "@sw/layout";
import type { CompoundTensor } from "@sw/tensor/compound";
import { elementTypeNamed } from "../elements.js";
import { HurrayUnsupportedError } from "../errors.js";
import type { Sharing } from "./blocks.js";
import type { StoredForm } from "./schemes.js";

/** What an axis says of the parameters. */
interface AxisUse {
  readonly axis: number;
  /** Neighbours along the axis that share a parameter, from each multiple of this on. */
  readonly run: number;
  /** Whether the axis is cut into such runs, one at least. */
  readonly isCut: boolean;
  /** Whether elements along the axis have parameters of their own at all. */
  readonly differs: boolean;
}

/**
 * Finds the scheme that shares parameters as a tensor of several parts does, or more finely: blocks where an axis is cut
 * into them, else one for all, else one for each index of an axis, else blocks where they fit.
 *
 * @throws HurrayUnsupportedError `SW_HURRAY_QUANTISED_UNSUPPORTED` where each element has a parameter, or blocks are too small.
 */
export function sharingOf(operation: string, c: CompoundTensor, { family, storage }: StoredForm): Sharing {
  const uses = usesOf(c);
  const scheme = family === "affine" ? "perBlock" : family;
  const blocks = (among: readonly AxisUse[]): Sharing | undefined => {
    if (family === "affine" && elementTypeNamed(storage).bits > 8) return undefined;
    const sizes = among.map(({ axis, run }) => ({ axis, blockSize: blockSizeOf(scheme, run, c.shape[axis]!) }));
    const [best] = sizes.sort((a, b) => b.blockSize - a.blockSize);
    return best !== undefined && best.blockSize > 0 ? { scheme, ...best } : undefined;
  };
  const cut = blocks(uses.filter(({ isCut }) => isCut));
  if (cut !== undefined) return cut;
  const own = uses.filter(({ differs }) => differs);
  // A tensor without elements need not have a parameter either.
  if (family === "affine" && c.size === 0) return { scheme: "perChannel", axis: c.shape.indexOf(0) };
  if (family === "affine" && own.length === 0) return { scheme: "perTensor" };
  if (family === "affine" && own.length === 1) return { scheme: "perChannel", axis: own[0]!.axis };
  const other = blocks(uses);
  if (other !== undefined) return other;
  throw new HurrayUnsupportedError(
    "SW_HURRAY_QUANTISED_UNSUPPORTED",
    `${operation}: no scheme shares parameters like this: got ${String(c.adjacent[0])} of type ${c.type.name}, expected blocks along an axis, ${BLOCKS[scheme].join(" to ")} elements each, a power of two${family === "affine" ? ", or parameters by one axis" : ""}.`,
  );
}

/** The smallest and largest block of each scheme. */
const BLOCKS = { perBlock: [2, 2 ** 31], nf4: [8, 2 ** 31], mxfp: [16, 2048] } as const;

/** The largest block that divides a run and that the scheme allows along an extent; 0 where there is none. */
function blockSizeOf(scheme: keyof typeof BLOCKS, run: number, extent: number): number {
  const [least, most] = BLOCKS[scheme];
  for (let size = most; size >= least; size /= 2) {
    const fits = size <= extent && (scheme !== "mxfp" || extent % size === 0);
    if (run % size === 0 && fits) return size;
  }
  return 0;
}

function usesOf({ adjacent }: CompoundTensor): AxisUse[] {
  const { shape, stride } = adjacent[0]!;
  return shape.map((mode, axis) => {
    const extents = leaves(mode);
    const steps = leaves(stride[axis]!);
    // Where the first leaf of extent 1 has a stride, the axis is a single block.
    const first = steps.findIndex((step) => step !== 0);
    const shared = first < 0 ? extents : extents.slice(0, first);
    const run = shared.reduce((product, extent) => product * extent, 1);
    const differs = extents.some((extent, i) => extent > 1 && steps[i] !== 0);
    return { axis, run, isCut: first > 0 && run > 1, differs };
  });
}
