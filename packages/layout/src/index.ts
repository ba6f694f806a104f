export { permute, select } from "./arrange.js";
export { cosize, isBroadcast, isContiguous, isDense, maxIndex, minIndex } from "./bounds.js";
export { type BoxPart, boxParts } from "./box.js";
export { broadcastExtents, broadcastTo } from "./broadcast.js";
export { columnMajor, compactLike, rowMajor, strided } from "./builders.js";
export type { Tiler } from "./by-mode.js";
export { coalesce } from "./coalesce.js";
export { compose } from "./compose.js";
export { decode, encode, indexOf } from "./coordinates.js";
export {
  type ComplementReason,
  type CompositionReason,
  describe,
  LayoutError,
  type LayoutErrorCode,
  type LayoutErrorFields,
} from "./errors.js";
export { hashLayout } from "./hash.js";
export { isInjective } from "./injective.js";
export { layoutFromJSON } from "./json.js";
export { extents, formatLayout, isLayout, type Layout, layout, layoutEquals } from "./layout.js";
export {
  axisStart,
  expandTo,
  flipAxis,
  type LayoutView,
  type Located,
  permuteAxes,
  selectAxis,
  selectedAxis,
  sliceAxis,
  slicedAxis,
  squeezeAxis,
  unsqueezeAxis,
} from "./located.js";
export { morton } from "./morton.js";
export { parseLayout } from "./parse.js";
export { type Loops, refine } from "./refine.js";
export { inferExtent, reshapeRowMajor } from "./reshape.js";
export { blocked, nhwc, type TiledForm, type TileOrder, tiled } from "./tiled.js";
export { type Coordinate, formatShape, type IntTree, leaves, type Shape, type Stride } from "./tree.js";
