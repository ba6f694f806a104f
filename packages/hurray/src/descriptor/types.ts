/** The layouts that this version reads and writes, by kind. @since 0.1.0 */
export type LayoutKind = "rowMajor" | "columnMajor" | "strided";

/** How the elements of a tensor lie in its first buffer. @since 0.1.0 */
export type DescriptorLayout =
  | { readonly kind: "rowMajor" }
  | { readonly kind: "columnMajor" }
  | {
      readonly kind: "strided";
      /** In elements, one a dimension; negative where reversed, zero where repeated. */
      readonly strides: readonly bigint[];
    };

/** One entry of the buffer table. @since 0.1.0 */
export interface BufferHandle {
  readonly byteSize: bigint;
  /** A power of two; at least 64 unless the buffer is empty. */
  readonly alignment: number;
  /** 0 is the CPU. */
  readonly deviceTag: number;
  readonly syncMode: number;
  readonly memoryClass: number;
}

/** A scheme that maps stored integers or small floats to real values (section 7). @since 0.1.0 */
export type Quantisation = (
  | { readonly scheme: "perTensor"; readonly scale: number; readonly zeroPoint: number }
  | {
      readonly scheme: "perChannel";
      readonly axis: number;
      readonly scaleBuffer: number;
      /** Absent when the scheme is symmetric: every zero point is 0. */
      readonly zeroPointBuffer?: number;
    }
  | {
      readonly scheme: "perBlock";
      readonly axis: number;
      readonly blockSize: number;
      readonly scaleBuffer: number;
      /** Absent when the scheme is symmetric: every zero point is 0. */
      readonly zeroPointBuffer?: number;
      /** Type of the stored scales: 1 float16, 2 bfloat16, 3 float32. */
      readonly scaleTypeTag: number;
    }
  | {
      readonly scheme: "nf4" | "mxfp";
      readonly axis: number;
      readonly blockSize: number;
      readonly scaleBuffer: number;
    }
) & {
  /** Bytes of the section after the fields of the scheme; ignored, and kept (A10). */
  readonly padding?: Uint8Array;
};

/** Which box of a larger tensor this one holds. @since 0.1.0 */
export interface Shard {
  readonly parentShape: readonly bigint[];
  readonly offset: readonly bigint[];
}

/** Advisory figures about the values; a field counts only when its bit in `computedMask` is set. @since 0.1.0 */
export interface Statistics {
  readonly computedMask: number;
  /** Bit 0. */
  readonly nnz: bigint;
  /** Bit 1: zeros divided by elements. */
  readonly sparsityRatio: number;
  /** Bit 2, with `valueMax` and `valueAbsMax`. */
  readonly valueMin: number;
  readonly valueMax: number;
  readonly valueAbsMax: number;
  /** Bit 3, with `valueStddev`. */
  readonly valueMean: number;
  readonly valueStddev: number;
  /** Bit 4, with `nmM`: at most `nmN` non-zero values in `nmM`. */
  readonly nmN: number;
  readonly nmM: number;
  /** Bit 5, with `hasInf`. */
  readonly hasNan: boolean;
  readonly hasInf: boolean;
  /** Bits of the float fields that hold a NaN other than the usual one, so that they are written back unchanged. */
  readonly nanBits?: { readonly [field in StatisticsFloat]?: bigint };
}

/** The floating-point fields of the statistics, in the order of their bytes. @since 0.1.0 */
export type StatisticsFloat = "sparsityRatio" | "valueMin" | "valueMax" | "valueAbsMax" | "valueMean" | "valueStddev";

/** The numeric make-up of a private element type (section 6.4). @since 0.1.0 */
export interface ExtensionType {
  readonly bitWidth: number;
  readonly packingFactor: number;
  readonly isFloat: boolean;
  readonly isSigned: boolean;
  readonly signBits: number;
  readonly exponentBits: number;
  readonly mantissaBits: number;
  readonly exponentBias: number;
  readonly hasNan: boolean;
  readonly hasInf: boolean;
}

/**
 * What the format says of one tensor: plain data, exactly what is in the bytes.
 * 64-bit fields are bigints. The major version is 1.
 * @since 0.1.0
 */
export interface Descriptor {
  /** 0 unless the descriptor comes from a later version of the format. */
  readonly versionMinor: number;
  readonly typeTag: number;
  /** One a dimension; `DYNAMIC` where the size is not known yet. */
  readonly shape: readonly bigint[];
  /** From the start of buffer 0 to the element at index 0. */
  readonly byteOffset: bigint;
  readonly layout: DescriptorLayout;
  /** Buffer 0 holds the elements, the others parameters of the quantisation. */
  readonly buffers: readonly BufferHandle[];
  readonly quantisation?: Quantisation;
  readonly shard?: Shard;
  readonly statistics?: Statistics;
  readonly extensionType?: ExtensionType;
  /** The part a member of an overlay plays. */
  readonly memberRole?: "correction" | "base";
  /** Sections of a later minor version, kept as they came. */
  readonly tail?: Uint8Array;
}
