export { backward } from "./backward.js";
export type { BackwardOptions } from "./engine.js";
export { type AutogradErrorCode, GradientError, type GradientErrorFields, GraphReleasedError } from "./errors.js";
export { type GradOptions, grad } from "./functional.js";
export { type GradcheckOptions, type GradcheckReport, gradcheck } from "./gradcheck.js";
export { enableGrad, isGradEnabled, noGrad } from "./mode.js";
export { Sgd, type SgdOptions } from "./optimise/sgd.js";
export { type ParameterTree, parametersOf } from "./optimise/tree.js";
export { detach, type ParameterOptions, parameter, requiresGrad, retainGrad } from "./parameter.js";
