export { permute, select } from "./arrange.js";
export { cosize, isBroadcast, isContiguous, isDense, maxIndex, minIndex } from "./bounds.js";
export { broadcastExtents } from "./broadcast.js";
export { columnMajor, compactLike, rowMajor, strided } from "./builders.js";
export { coalesce } from "./coalesce.js";
export { compose } from "./compose.js";
export { decode, encode, indexOf } from "./coordinates.js";
export { type CompositionReason, LayoutError, type LayoutErrorCode, type LayoutErrorFields } from "./errors.js";
export { isInjective } from "./injective.js";
export { extents, formatLayout, isLayout, type Layout, layout, layoutEquals } from "./layout.js";
export {
  expandTo,
  flipAxis,
  type LayoutView,
  type Located,
  permuteAxes,
  selectAxis,
  sliceAxis,
  squeezeAxis,
  unsqueezeAxis,
} from "./located.js";
export type { IndexMap } from "./maps/index-map.js";
export { type NamedLayout, recognise } from "./named.js";
export { parseLayout } from "./parse.js";
export { toTable } from "./pictures/table.js";
export { type Loops, refine } from "./refine.js";
export { inferExtent, reshapeRowMajor } from "./reshape.js";
export { type Coordinate, formatShape, type IntTree, leaves, type Shape, type Stride } from "./tree.js";
export { rowMajorIndices } from "./walk.js";
