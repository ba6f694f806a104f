// Views as arithmetic beyond those that a tensor has as methods: first-mode-fastest, windows, and why there is no view.
export { type AsStridedOptions, asStrided } from "./views/as-strided.js";
export { broadcastInDim, squeezeMode, unsqueezeMode } from "./views/mode-views.js";
export { reshapeAxes, reshapeModes } from "./views/reshape-views.js";
export { isModeSlice, type ModeSlice, sliceModes } from "./views/slice-modes.js";
export { type AxisWindow, windowOf } from "./views/window.js";
