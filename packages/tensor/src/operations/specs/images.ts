// Convolution, pooling and attention.

export type DifferentiableImages = never;
export type PlainImages = never;
