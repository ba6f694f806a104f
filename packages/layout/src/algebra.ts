// The algebra beyond composition: what kernel authors and tools need, and a tensor does not.
export { append, concat, flatten, group, prepend, replace, take } from "./arrange.js";
export { ordered } from "./builders.js";
export { coalesceByMode } from "./coalesce.js";
export { domainDistribute, maxCommonLayout, maxCommonVector, nullspace } from "./common.js";
export { coveredBy, isCompatible, isCongruent } from "./compatible.js";
export { complement } from "./complement.js";
export { withShape } from "./compose.js";
export { ceilDiv, flatDivide, logicalDivide, tiledDivide, zippedDivide } from "./divide.js";
export { filter, filterByMode, filterZeros } from "./filter.js";
export { dice, type HoledCoordinate, sliceAt } from "./holes.js";
export { isBroadcastOnlyAliased, uniformPreimageExtent } from "./injective.js";
export { leftInverse, rightInverse } from "./inverse.js";
export { modeOf } from "./modes.js";
export {
  blockedProduct,
  flatProduct,
  logicalProduct,
  rakedProduct,
  tiledProduct,
  tileToShape,
  zippedProduct,
} from "./product.js";
export { type ProfileMarker, profile } from "./profile.js";
export { type Arrangement, inverseArrangement, rearrange } from "./rearrange.js";
export { downcast, recast, upcast } from "./recast.js";
export { decodeRowMajor, encodeRowMajor } from "./row-major-ordinals.js";
