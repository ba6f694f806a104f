import { type ConvolutionOptions, conv2d, type DType, type Pair, type Tensor } from "@sw/tensor";
import { checkNumber, whole } from "../check-number.js";
import { parametersOf } from "../optimise/tree.js";
import { checkGenerator, disposeAll, type RandomModuleOptions, randomParameter } from "./random-parameter.js";

/** Options of the module {@link Conv2d}: those of `conv2d`, and where its weights come from. @since 0.1.0 */
export interface Conv2dModuleOptions<D extends DType> extends RandomModuleOptions<D>, ConvolutionOptions {
  /** Whether there is something to add. Default: true. */
  readonly bias?: boolean;
}

/**
 * A convolution of images: `conv2d` with weights of its own.
 * @since 0.1.0
 */
export class Conv2d<D extends DType = "float32"> {
  readonly parameters: {
    /** `[outChannels, inChannels / groups, kernelHeight, kernelWidth]`. */
    readonly weight: Tensor<D>;
    /** `[outChannels]`. */
    readonly bias?: Tensor<D>;
  };
  readonly options: ConvolutionOptions;

  /**
   * @param kernel - its height and width; one number means both.
   * @throws TypeError without a generator; GradientError `SW_AUTOGRAD_OPTION` for extents that are no integers of at least 1,
   * and for groups that divide the channels not evenly; TensorValueError `SW_TENSOR_DTYPE_REFUSED`.
   */
  constructor(inChannels: number, outChannels: number, kernel: Pair, options: Conv2dModuleOptions<D>) {
    const { generator, dtype, bias = true, ...geometry } = options ?? {};
    const [height, width] = typeof kernel === "number" ? [kernel, kernel] : kernel;
    const { groups = 1 } = geometry;
    for (const [name, extent] of Object.entries({ inChannels, outChannels, height, width, groups })) {
      whole("Conv2d", name, extent, 1);
    }
    const divides = (x: number): boolean => inChannels % x === 0 && outChannels % x === 0;
    checkNumber("Conv2d", "groups", groups, divides, `a divisor of ${inChannels} and ${outChannels}`);
    checkGenerator("Conv2d", generator);
    const shape = [outChannels, inChannels / groups, height, width];
    const fan = (inChannels / groups) * height * width;
    const weight = randomParameter(shape, fan, options);
    this.parameters = bias ? { weight, bias: randomParameter([outChannels], fan, options) } : { weight };
    this.options = geometry;
  }

  /**
   * @param x - `[n, inChannels, height, width]`.
   * @param parameters - others than its own: what `valueAndGrad` hands over, say.
   * @returns `[n, outChannels, …]`, as `conv2d` says.
   * @throws as `conv2d`.
   */
  forward(x: Tensor<D>, parameters: Conv2d<D>["parameters"] = this.parameters): Tensor<D> {
    const { weight, ...bias } = parameters;
    return conv2d(x, weight, { ...this.options, ...bias });
  }

  /** Returns the memory of the parameters and of their gradients. */
  dispose(): void {
    disposeAll(parametersOf(this.parameters));
  }

  /** The same as {@link Conv2d.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}
