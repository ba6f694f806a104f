/** The order of a grid of tiles, or of the elements in a tile: by name, or by strides of its own. @since 0.1.0 */
export type TileOrder = "rowMajor" | "columnMajor" | { readonly strides: readonly bigint[] };

/** One level of a tiled layout: tiles of one size, each stored whole, edge tiles too. @since 0.1.0 */
export interface TiledForm {
  /** Elements of a tile, one a dimension. */
  readonly tile: readonly bigint[];
  /** How the tiles follow each other; strides count whole tiles. */
  readonly outer: TileOrder;
  /** How the elements of a tile follow each other, or the tiles that the tile consists of. */
  readonly inner: TileOrder | TiledForm;
}

/** How the elements of a tensor lie in its buffers (section 4). @since 0.1.0 */
export type DescriptorLayout =
  | { readonly kind: "rowMajor" }
  | { readonly kind: "columnMajor" }
  | {
      readonly kind: "strided";
      /** In elements, one a dimension; negative where reversed, zero where repeated. */
      readonly strides: readonly bigint[];
    }
  | ({ readonly kind: "tiled" } & TiledForm)
  | {
      readonly kind: "morton";
      /** Bits of the coordinate that take part, one number a dimension. */
      readonly bits: readonly number[];
    }
  | {
      readonly kind: "hilbert";
      /** Every dimension has 2^order elements. */
      readonly order: number;
    }
  | {
      readonly kind: "coo";
      /** Stored values. */
      readonly nnz: bigint;
      /** Whether the coordinates ascend, the first dimension slowest. */
      readonly isSorted: boolean;
    }
  | { readonly kind: "csr"; readonly nnz: bigint }
  | { readonly kind: "csc"; readonly nnz: bigint }
  | {
      readonly kind: "csf";
      readonly nnz: bigint;
      /** The dimension that each level stores. */
      readonly modeOrder: readonly number[];
    }
  | {
      readonly kind: "blockPaged";
      /** Tokens in a page. */
      readonly pageSize: number;
      /** Pages in the pool. */
      readonly numPages: bigint;
      /** 0, or the descriptor is opaque. */
      readonly pagedAxis: number;
      readonly numSeqs: number;
      /** 0 keys, 1 values, 2 both or other. */
      readonly kvRole: number;
      /** Absent where the tensor belongs to no layer. */
      readonly layerIndex: number | undefined;
      /** Width of block table and sequence pointers. */
      readonly indexBits: 32 | 64;
    }
  | {
      readonly kind: "composite";
      /** What the members make up; a private rule by its tag, 0xF0 to 0xFE. */
      readonly rule: "partition" | "overlay" | "group" | number;
      /** How corrections of an overlay apply; a number only beside a private rule. */
      readonly combine: "none" | "replace" | "add" | number;
      /** Tensors that follow as members, nested heads counted as one. */
      readonly memberCount: number;
    }
  | {
      readonly kind: "private";
      /** 0xF0 to 0xFE. */
      readonly tag: number;
      /** By which the parties know the layout. */
      readonly id: bigint;
      readonly data: Uint8Array;
    }
  | {
      /** Read in permissive mode only: the payload of an unknown layout has no known length, so nothing after it is parsed. */
      readonly kind: "unknown";
      readonly tag: number;
      /** Flags of the header, which tell what sections the rest has. */
      readonly flags: number;
      /** Everything after the byte offset. */
      readonly rest: Uint8Array;
    };

/** The layouts, by kind. @since 0.1.0 */
export type LayoutKind = DescriptorLayout["kind"];

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

/** A scheme that parties agree on between themselves, or one of no meaning yet, which only permissive mode reads. @since 0.1.0 */
export interface UnreadScheme {
  readonly tag: number;
  readonly version: number;
  readonly flags: number;
  /** The section after the four bytes that all schemes have in common. */
  readonly data: Uint8Array;
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
  | ({ readonly scheme: "private" } & UnreadScheme)
  | ({ readonly scheme: "unknown" } & UnreadScheme)
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
  /** Those of the layout first, buffer 0 with the elements, then parameters of the quantisation. */
  readonly buffers: readonly BufferHandle[];
  readonly quantisation?: Quantisation;
  readonly shard?: Shard;
  readonly statistics?: Statistics;
  readonly extensionType?: ExtensionType;
  /** The part a member of an overlay plays. */
  readonly memberRole?: "correction" | "base";
  /** Sections of a later minor version, kept as they came. */
  readonly tail?: Uint8Array;
  /** Whether permissive mode passed over a broken rule: the data means nothing certain and is not to be touched. */
  readonly opaque?: true;
}
