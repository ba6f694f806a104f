// Index maps: functions from coordinates to indices, layouts among them, and those that no layout expresses.
export { composeMap, type MapChain } from "./maps/compose-map.js";
export { type HilbertCurve, hilbert, hilbertCoordinate } from "./maps/hilbert.js";
export { type IndexMap, type IndexMapContract, isIndexMap } from "./maps/index-map.js";
export { asMap, type LayoutMap, type PlaceOptions } from "./maps/layout-map.js";
export { type Permutation, permutation } from "./maps/permutation.js";
export { type ProductMap, productMap } from "./maps/product-map.js";
export { cuteSwizzle, type Swizzle, type SwizzleStage, swizzle, swizzleFromMasks } from "./maps/swizzle.js";
export { tiledMap } from "./maps/tiled-map.js";
